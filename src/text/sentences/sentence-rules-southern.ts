// Sentence rules of the languages in Latin letters south of Asia's mainland and of the Sahara: Indonesian, Malay,
// Tagalog, Xhosa.
import { sentenceRules } from './sentence-rules.ts';

const MALAY_STARTERS = `
    Ada Adalah Akan Akhirnya Aku Agar Anda Antara Apa Apabila Apakah Atas Atau Ayah Bagaimana Bagi Bahkan Bahwa Bahawa Baru Banyak Beberapa
    Begitu Belum Benar Berapa Biasanya Boleh Bukan Dalam Dan Dari Daripada Dengan Demikian Di Dia Hal Hampir Hanya Harap Hari Hingga Ia Ibu
    Ini Itu Itulah Iya Jadi Jangan Jika Juga Kadang Kalau Kami Kamu Kapan Karena Kata Ke Kebanyakan Kemarin Kemudian Kenapa Kepada Ketika
    Kerana Kini Kita Lagi Lalu Lebih Maka Malah Malam Masih Mereka Mengapa Meskipun Mungkin Namun Nanti Oleh Orang Pada Padahal Para Perlu
    Pernah Pertama Sambil Sampai Sangat Satu Saya Saat Sebab Sebagai Sebelum Sebenarnya Sebuah Sedangkan Segera Sejak Sekarang Selain
    Selama Selamat Selanjutnya Selepas Semua Semuanya Seorang Seperti Setelah Setiap Siapa Sila Silakan Suatu Sudah Supaya Tadi Tak Tapi
    Telah Tentu Terima Ternyata Tetapi Tidak Tiada Tolong Untuk Waktu Walaupun Ya Yang`;

export const indonesian = sentenceRules({
  never: `
    dr Dr Drs Dra drg Prof Ir H Hj KH K.H R Rd Tn Ny Nn Sdr Sdri Sdr.i Bpk Yth Pdt St Ust Let Kol Kapt Jend Letjen Mayjen Brigjen Kompol AKP
    a a.n a.l u.b u.p d.a d.h s.d sd c.q dsb.nya dgn yg utk spt mis ttg tsb thd sbg bhw krn dlm jl Jl Jln jln Gg gg Kec kec Kab kab
    Kel kel Ds Prov prov Kp Kav RT RW nmr tgl hlm ps vol gbr tab lamp telp Telp tlp Tlp fax faks
    maks min kl lk vs i.e e.g cf`,
  sometimes: `
    S.H S.E S.T S.Pd S.Kom S.Sos S.Ag S.Psi S.Si M.Si M.M M.A M.H M.Pd M.T M.Kn M.Sc M.Hum Ph.D B.Sc S.Ked Sp.A Sp.PD
    Tbk Ltd Inc Co Jr Sr Jan Feb Mar Apr Jun Jul Agu Agt Sep Okt Nov Des Sen Sel Rab Kam Jum Sab Min Moh Muh Abd`,
  usually: 'dll dsb dst dkk dlsb etc',
  afterNumber: 'jt rb thn bln mnt dtk kg km cm lbr bh',
  starters: MALAY_STARTERS,
  beforeNumber: 'hal no pasal pkl rp',
  counts: {
    labels: `
      halaman hal hlm bab nomor no nomer gambar gbr tabel bagian jilid volume vol versi pasal ayat kamar ruang pintu
      gerbang peron jalur lantai tahun thn kelas pertanyaan langkah tahap tipe pukul pkl jam tanggal tgl abad bus
      kereta rp idr usd eur telp`,
    months: `
      januari februari maret april mei juni juli agustus september oktober november desember jan feb mar apr jun jul
      agu agt sep sept okt nov des`,
    links: 'belas puluh ratus ribu rb juta jt miliar milyar triliun meter derajat sampai hingga dan atau',
    tails: 'pagi siang sore malam wib wita wit celsius persegi kubik per lewat kurang',
    numerals: `
      dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas belas puluh ratus ribu seratus seribu`,
  },
});

export const malay = sentenceRules({
  never: `
    Dr Drs Prof Ir Tn Pn En Sdr Sdri Hj Hjh Ust Ustz Lt Kol Kapt Mej Jen Sjn Kpl Insp ASP DSP Dato Dt Yb Y.B Y.A.B Y.M YBhg
    a a.l a.p b.p s.k u.p d.a d.h sbg spt utk dgn yg mis cth Cth ttg tsb krn dlm iaitu jl Jl Jln jln Lrg lrg Tmn tmn Kg Kpg Bt Bkt Tg Sg
      bil Bil m ms m.s hlm tel Tel faks vol gbr raj jad fax maks lk vs i.e e.g cf`,
  sometimes: `
    Sdn Bhd Ltd Inc Co Jr Sr Ph.D M.Sc B.Sc B.A M.A Jan Feb Mac Apr Jun Jul Ogo Ogs Sept Sep Okt Nov Dis
    Isn Sel Rab Kha Jum Sab Ahd Moh Muhd Mohd Md Abd s.m t.m p.m a.m T.M S.M`,
  usually: 'dll dsb dst dkk etc',
  afterNumber: ' min kg km cm ',
  starters: MALAY_STARTERS,
  beforeNumber: 'no lot pkl',
  counts: {
    labels: `
      surat halaman hlm bab nombor no bil rajah gambar jadual bahagian jilid versi perkara fasal bilik dewan pintu
      pelantar laluan tingkat aras tahun kelas soalan langkah fasa jenis pukul pkl jam bas rm myr usd tel`,
    months: `
      januari februari mac april mei jun julai ogos september oktober november disember jan feb ogo sep sept okt nov
      dis`,
    links: 'belas puluh ratus ribu juta bilion trilion meter darjah hingga dan atau tengah',
    tails: 'pagi tengahari petang malam celsius persegi padu setengah suku',
    numerals: `
      dua tiga empat lima enam tujuh lapan sembilan sepuluh sebelas belas puluh ratus ribu seratus seribu`,
  },
});

export const tagalog = sentenceRules({
  never: `
    G Gg Gng Bb Bn Gn Dr Dra Prof Engr Arch Atty Arki Inh Kgg Kap Kon Sen Rep Pang Gob Gov Hon Hen Gen Kor Kol Ten Sgt Tsk Fr Sr Rev Mons Msgr Sto Sta St
    Mr Mrs Ms hal Hal e.g i.e vs cf aprox 
      blg Blg bld pah p pp tel Tel kab tom vol fig seks art Brgy brgy Bgy Kal Lal Lungs Pob`,
  sometimes: `
    Ave Av Blvd Rd Jr Inc Ltd Corp Co Ph.D M.D A.B B.S B.A M.A Ene Peb Mar Abr May Hun Hul Ago Set Okt Nob Dis Jan Feb Apr Jun Jul Aug Sep Oct Nov Dec
    Lun Miy Huw Biy Sab Lin a.m p.m n.u n.h n.g n.t n.m A.D B.C M.M`,
  usually: 'atbp at.iba etc iba',
  afterNumber: 'min seg kg km cm ',
  starters: `
    Ako Akala Ang Ano Anong Araw At Ay Ayaw Ayon Ayos Bago Bagaman Bakit Baka Bawat Bukas Bukod Dahil Dapat Dati Diyan Dito Doon Ganito Ganoon
    Gayunpaman Gusto Habang Hanggang Hayaan Hindi Hinihintay Huwag Ikaw Ilan Ilang Inyong Isa Isang Ito Itong Iyan Iyon Ipinanganak Kailan Kailangan
    Kahapon Kahit Kami Kanila Kanina Kanino Kapag Karaniwan Kasi Katulad Kaya Kayo Kaunti Ki Kina Kulang Kumusta Kung Lagi Lahat Lalo Lamang Laging
    Maaari Maari Maganda Magkano Mahal Malapit Marahil Marami Maraming Mas Masaya Matapos May Mayroon Mga Mula Muli Na Nakita Namin Nandito Nang
    Narito Nasa Ngayon Ngunit Ni Nina Noon Noong O Oo Pa Pagkatapos Pagdating Pakiusap Palagi Para Paano Pero Puwede Pwede Saan Sabi Salamat Samantala
    Sa Si Sige Sila Sina Sino Siya Subalit Tama Tara Tayo Totoo Tuwing Una Upang Wala Walang Yung`,
  beforeNumber: 'no',
  counts: {
    labels: `
      pahina kabanata numero blg bilang larawan talahanayan bahagi tomo bersyon artikulo kuwarto silid pinto
      plataporma linya bus palapag taon taong klase tanong hakbang yugto uri alas ala php usd tel`,
    months: `
      enero pebrero marso abril mayo hunyo hulyo agosto setyembre oktubre nobyembre disyembre january february march
      april may june july august september october november december`,
    links: 'daan libo libong milyon milyong bilyon bilyong na ng at o hanggang de',
    tails: 'umaga hapon gabi tanghali celsius',
    numerals: `
      dalawa dalawang tatlo tatlong apat limang lima anim pito pitong walo walong siyam sampu sampung labing-
      dalawampu- tatlumpu- sandaan libo dos tres kuwatro singko sais siyete otso nuwebe diyes onse dose`,
  },
});

export const xhosa = sentenceRules({
  never: `-Mnu -mnu -Mnz -Nksz -Nkszn -Nks -Nkosk -Gqr -Gq -Njing -Njng -Prof -prof -Mfu -Mfund -Dr -dr 
          Nkos Gq Rev Mphath Mr Mrs Ms St Sgqr Jgn Adv
    umz Umz umzek o oko k k.k k.l.k okk ok e.g i.e vs cf jng jonga 
     nomb inomb ph phep iph umqu isahl qaph tel fekis vol`,
  sometimes: `
    Jan Feb Mat Epr Mey Jun Jul Aga Sep Okt Nov Dis uJan uFeb Mvu Bin Sin Tha Hla Mgq Caw Jr Sr Inc Ltd Co Pty Ph.D B.A M.A n.n a.n e.n`,
  usually: 'njl njlnjl njl.njl nj njalo etc',
  afterNumber: 'imiz kg km cm R',
  starters: `
    Abanye Abantu Akukho Akunjalo Ake Akazi Andazi Apha Asinto Baba Bahle Bathi Bekukho Bonke Bakhona Emva Enkosi Ewe Emveni Ezi Eli Esi Eyona Eyam Fika
    Funda Hayi Hamba Inene Ingaba Into Izinto Itsho Imini Izolo Intombi Jonga Kananjalo Kanye Kaloku Kanti Kaninzi Kamva Kakhulu Khawuleza Ke Khona Koko
    Kodwa Konke Kubalulekile Kuba Kude Kufuneka Kukho Kule Kuloo Kungenxa Kunjalo Kunye Kutheni Kuya Kwakhona Kwaye Kwafuneka La Le Lo Loo Lowo Lento Mama
    Mandithi Mhlawumbi Mna Molo Molweni Musa Namhlanje Nangona Nantsi Naye Ndawonye Ndiyabulela Ndicela Ndifuna Ndim Ndi Ndine Ndithi Ngoko Ngaba
    Ngenxa Ngexesha Ngomso Ngoku Njalo Noko Nokuba Nto Ntombi Oko Okwangoku Oku Olu Phaya Phambi Phambili Phi Qala Sanibonani Sibone Sifuna Siya Sonke
    Sele Sukuba Thina Ubani Uthi Utata Umama Ukuba Ukanti Umntu Umfazi Uyazi Uya Ungubani Wathi Wena Wafika Wonke Xa Yena Yima Yinto Yiyo Yonke Yiza Zonke`,
  beforeNumber: 'no',
  counts: {
    labels: `
      -phepha -phepheni ph -sahluko -ahluko -nombolo nomb -fanekiso -theyibhile -candelo -qanaba -gumbi -sango -mgca
      -bhasi -mgangatho -nyaka ngo nge -ntsimbi r zar usd tel`,
    months: `
      -januwari -februwari -matshi -epreli -meyi -juni -julayi -agasti -septemba -oktobha -novemba -disemba`,
    links: 'ikhulu amakhulu iwaka amawaka isigidi izigidi ku ukuya no okanye ka',
    tails: 'ekuseni emini kwemini emva ngokuhlwa ebusuku',
    numerals: '-mbini -bini -ntathu -thathu -ne -ntlanu -hlanu -sixhenxe -sibhozo -lishumi',
  },
});
