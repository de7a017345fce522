/** Pairs of names: two spellings of one, or two names that look alike. */
export interface Pairs {
  readonly kind: string;
  /** True: one person; false: two. */
  readonly genuine: boolean;
  readonly pairs: readonly (readonly string[])[];
}

export const PAIRS: readonly Pairs[] = [
  {
    kind: 'a first name in another transliteration',
    genuine: true,
    pairs: pairsOf(
      'Mohamed/Muhammad Mohammed/Muhamed Hussein/Husein Ahmed/Ahmad Yusuf/Yussuf Abdallah/Abdulla',
      'Khadija/Hadija Zainab/Zeinab Fatuma/Fatma Suleiman/Suleman Omar/Omari Hassan/Hasan',
      'Catherine/Katherine Stephen/Steven Eric/Erick Philip/Phillip Geoffrey/Jeffrey Lilian/Lillian',
      'Njoroge/Njorogi Wanjiku/Wanjiko Ndungu/Ndungo Mwangi/Muangi Wangechi/Wangeci Kiprotich/Kiprotichi',
      // Not listed.
      'Abdishakur/Abdishakuur Nuriya/Nuria Dekow/Dhekow Hafswa/Hafsa Mwanahamisi/Mwanahamis Osman/Osmaan',
      'Muktar/Mukhtar Shukran/Shukraan Gedi/Geedi Kheir/Kher Lekishon/Lekishoni Nkatha/Nkata',
    ),
  },
  {
    kind: 'a first name written as one word or as two',
    genuine: true,
    pairs: [
      ['Abdulrahman', 'Abdul Rahman'],
      ['Olekina', 'Ole Kina'],
      ['Alamin', 'Al Amin'],
      ['Abdikadir', 'Abdi Kadir'],
      ['Abdulaziz', 'Abdul-Aziz'],
      ['Annemarie', 'Anne Marie'],
      ['Mwanaisha', 'Mwana Isha'],
      ['Arapmoi', 'Arap Moi'],
      ['Olesapit', 'Ole Sapit'],
      ['Jeanclaude', 'Jean Claude'],
    ],
  },
  {
    kind: 'a twin: the same name for a boy and a girl',
    genuine: false,
    pairs: pairsOf(
      'Joseph/Josephine Paul/Pauline Paul/Paula Daniel/Daniella George/Georgina Martin/Martina',
      'Christopher/Christine Francis/Frances Francis/Francisca Stephen/Stephanie Victor/Victoria',
      'Patrick/Patricia Robert/Roberta Charles/Charlotte Denis/Denise Michael/Michelle Julius/Julia',
      'Bernard/Bernadette Eric/Erica Andrew/Andrea Philip/Philippa Emmanuel/Emmanuela Gabriel/Gabriella',
      'Amin/Amina Halim/Halima Said/Saida Rashid/Rashida Salim/Salma Karim/Karima Farid/Farida',
      'Otieno/Atieno Ochieng/Achieng Odhiambo/Adhiambo Onyango/Anyango Opiyo/Apiyo Owino/Awino',
      'Kiprop/Cheprop Kibet/Chebet Kiprono/Cherono Kiplagat/Chelagat Kipkoech/Chepkoech',
      'Wafula/Nafula Wekesa/Nekesa Wanjala/Nanjala Wanyama/Nanyama Wamalwa/Namalwa',
      // Not listed.
      'Kipsigei/Chepsigei Kipteroi/Jepteroi Olweny/Alweny Orimba/Arimba Waluli/Naluli Roman/Romana',
      'Marcellus/Marcella Zakarias/Zakariasa Donat/Donatella Munir/Munira Sadiq/Sadiqa Nadhif/Nadhifa',
    ),
  },
  {
    kind: 'a twin: names that look or sound alike',
    genuine: false,
    pairs: pairsOf(
      'Wanjiru/Wanjiku Wangari/Wangui Wambui/Wambura Njeri/Njeru Muthoni/Muthomi Mutua/Mutuku',
      'Mwende/Mwendwa Musyoka/Musyoki Wambua/Mumbua Hassan/Hussein Opiyo/Odongo Apiyo/Adongo',
      'Peter/Paul Mary/Martha Mary/Maria Jane/Janet Jane/Joan John/Joan Joy/Joyce Jean/Jane',
      'Kelvin/Kevin Calvin/Kelvin Edith/Edna Lucy/Lucia Rose/Rosemary Dan/Daniel Amos/Amon',
      'Dorcas/Doris Esther/Hester Angela/Angelina Carol/Carl Eunice/Bernice Nancy/Naomi Faith/Faiza',
      'Kamau/Kamande Karanja/Karani Kariuki/Karimi Barasa/Baraka Simiyu/Simba Rotich/Ruto',
    ),
  },
];

/** First names that the service does not list. */
export const UNLISTED_NAMES: readonly string[] = [
  'Alphaxard Arnold Bruno Chantal Clinton Cosmas Delphine Desmond Dismas Edmond Elvis Emelda Eliphas',
  'Fabian Gaudencia Gerishon Hezron Hosea Immaculate Jotham Kizito Lameck Lavender Leopold Lucky Mackline',
  'Melvin Mwalim Nahashon Nathalia Nicera Obed Odilia Onesmus Phelix Pharis Rodah Roselyn Sospeter Stacy',
  'Tecla Tyson Ummulkheir Velma Winstone Yobes Zaituni Zedekiah Nashipae Resian Saning Tipape Lemashon',
]
  .join(' ')
  .split(' ');

function pairsOf(...lines: readonly string[]): string[][] {
  return lines.flatMap((line) => line.split(' ').map((pair) => pair.split('/')));
}
