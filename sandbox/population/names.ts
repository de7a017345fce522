/** Given names and family names in use in Kenya, to be combined at random; no one in particular. */
export const FORENAMES = {
  F: [
    'Amani Imani Neema Zawadi Furaha Rehema Subira Tumaini Makena Nuru Pendo Saida Salma Zuhura',
    'Grace Mercy Faith Joyce Esther Ruth Agnes Lydia Naomi Purity Caroline Beatrice Irene Lilian',
    'Halima Amina Fatuma Khadija Mwanaisha Zeinab Sharon Brenda Diana Winnie Dorcas Eunice Tabitha',
  ]
    .join(' ')
    .split(' '),
  M: [
    'Amani Baraka Jabali Juma Hamisi Omari Salim Rashid Bakari Tendai Imara Simba Tumaini Faraji',
    'Daniel Peter John Samuel David Joseph Brian Kevin Dennis Victor Collins Felix George Stephen',
    'Abdi Hassan Yusuf Ibrahim Ali Mohamed Elijah Isaac Moses Paul Patrick Evans Erick Vincent',
  ]
    .join(' ')
    .split(' '),
} as const;

export const SURNAMES: readonly string[] = [
  'Wanjiru Wambui Njeri Wanjiku Muthoni Kamau Njoroge Mwangi Kariuki Maina Gitau Kimani Ndungu',
  'Otieno Ochieng Achieng Adhiambo Onyango Owino Akinyi Omondi Odhiambo Anyango Okoth Awuor',
  'Mutua Mwende Musyoka Kyalo Nduku Mutuku Wambua Muli Mumbua Ndinda Kioko Munyao',
  'Kiprop Chebet Kiplagat Jepchirchir Kipkemboi Cherono Rotich Koech Jerono Langat Bett Tanui',
  'Wafula Nekesa Simiyu Barasa Nafula Wekesa Khaemba Makokha Shikuku Ambani Andayi Lumumba',
  'Mwakio Mwadime Katana Kazungu Charo Ngumbao Mwinyi Athman Shee Bwana Kombo Chengo',
  "Ng'ang'a Nyong'o Ong'ondo Moraa Nyaboke Bosire Ondieki Kemunto Nyamweya Mogaka Gesare",
  'Farah Abdullahi Warsame Guyo Galgalo Lekolool Lesuuda Nkaissery Ekai Lokwang Erupe Ekal',
]
  .join(' ')
  .split(' ');

export const TOWNS: readonly string[] = [
  'Nairobi Mombasa Kisumu Nakuru Eldoret Thika Malindi Kitale Garissa Kakamega Nyeri Meru Machakos',
  'Kericho Embu Kilifi Lamu Isiolo Busia Bungoma Naivasha Voi Nanyuki Homa_Bay Migori Kisii',
]
  .join(' ')
  .split(' ')
  .map((town) => town.replace('_', ' '));

export const ROADS: readonly string[] =
  'Acacia_Lane Bahari_Road Kijani_Street Mlima_Close Mto_Avenue Nyota_Road Soko_Street Uhuru_Lane'
    .split(' ')
    .map((road) => road.replace('_', ' '));
