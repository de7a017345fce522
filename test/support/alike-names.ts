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
    kind: 'a short or English form of a first name',
    genuine: true,
    pairs: pairsOf(
      'Rebecca/Becky Elizabeth/Liz Elizabeth/Betty Elizabeth/Lizzy Catherine/Kate Catherine/Cathy Margaret/Maggie',
      'Joseph/Joe Josephine/Josie Samuel/Sam Stephen/Steve Christopher/Chris Christine/Chris Daniel/Danny',
      'Michael/Mike Patrick/Pat Patricia/Pat Kenneth/Ken Kennedy/Ken Robert/Bob William/Bill Anthony/Tony',
      'Thomas/Tom Timothy/Tim Benjamin/Ben Edward/Eddy Fredrick/Fred Jacqueline/Jackie Deborah/Debbie Susan/Sue',
      'Veronica/Vero Victoria/Vicky Caroline/Caro Jennifer/Jenny Nicholas/Nick Geoffrey/Jeff Gregory/Greg',
    ),
  },
  {
    kind: 'a Swahili form of a first name',
    genuine: true,
    pairs: pairsOf(
      'John/Yohana Peter/Petro Joseph/Yusufu Joseph/Yosefu Paul/Paulo Jacob/Yakobo Stephen/Stefano Matthew/Mathayo',
      'Mark/Marko Luke/Luka Thomas/Tomasi Philip/Filipo Samuel/Samweli Daniel/Danieli Isaiah/Isaya Jeremiah/Yeremia',
      'Rachel/Raheli Rebecca/Rebeka Ruth/Ruthu Esther/Esta Moses/Musa Noah/Nuhu Abraham/Ibrahimu David/Daudi',
    ),
  },
  {
    kind: 'a Somali spelling of a first name',
    genuine: true,
    pairs: pairsOf(
      'Fatuma/Fadumo Fatima/Faadumo Aisha/Caasha Mahmoud/Maxamuud Mohamed/Maxamed Ali/Cali Omar/Cumar Hassan/Xasan',
      'Hussein/Xuseen Ahmed/Axmed Abdi/Cabdi Abdullahi/Cabdullaahi Halima/Xaliimo Hawa/Xaawo Osman/Cismaan Farah/Faarax',
      'Yusuf/Yuusuf Ibrahim/Ibraahim Ismail/Ismaaciil Khadija/Khadiijo Maryam/Maryan Adan/Aadan Nur/Nuur Zahra/Sahra',
      'Jama/Jaamac Abdirahman/Cabdiraxmaan Dahir/Daahir Amina/Aamino Habiba/Xabiibo Suleiman/Saleebaan Rukia/Ruqiyo',
    ),
  },
  {
    kind: 'a Kalenjin name without its prefix',
    genuine: true,
    pairs: pairsOf(
      'Kiprotich/Rotich Kipruto/Ruto Kipkoech/Koech Kipkorir/Korir Kiplagat/Lagat Kimutai/Mutai Kiprono/Rono Kipngetich/Ngetich',
    ),
  },
  {
    kind: 'letters with strokes and ligatures',
    genuine: true,
    pairs: pairsOf(
      'Đặng/Dang Sørensen/Sorensen Łukasz/Lukasz Weiß/Weiss Þór/Thor Æsa/Aesa Œuvrard/Oeuvrard Bjørn/Bjorn',
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
    kind: 'a similar, but different first name',
    genuine: false,
    pairs: pairsOf(
      'Kelvin/Melvin Alvin/Calvin Marion/Mario Elvis/Alvis Shem/Sham Edwin/Godwin Nixon/Dixon Elsie/Elise Rhoda/Rhonda',
      'Ivan/Ian Mercy/Marcy Trevor/Treva Jayden/Hayden Elvina/Alvina Sheryl/Cheryl Denzel/Hansel Collins/Colin Neville/Nevin',
      'Jotham/Gotham Hosea/Josea Olga/Helga Reagan/Regan Lionel/Leonel Glen/Gwen Milton/Hilton Clinton/Clifton Edna/Elna',
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

/** Somali and Swahili names of men, listed by the service and not. Children have them as surnames. */
export const PATRONYMICS: readonly string[] = [
  'Bare Abdullahi Bilal Osman Mohamed Ali Hassan Abdi Farah Ahmed Yusuf Ibrahim Adan Noor Jama Warsame Guled Hersi',
  'Dahir Mahat Gedi Dekow Sheikhdon Bulle Kulow Muktar Shukri Roble Samatar Liban Elmi Dirie Egal Awale Godane',
  'Juma Hamisi Salim Omari Rashid Bakari Mwinyi Athman Kombo Shee Suleiman Said Mbarak Swaleh Khamis Fumo Bwana',
]
  .join(' ')
  .split(' ');

function pairsOf(...lines: readonly string[]): string[][] {
  return lines.flatMap((line) => line.split(' ').map((pair) => pair.split('/')));
}
