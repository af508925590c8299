// Sentence rules of the European languages without near relatives here: Albanian, Greek, Hungarian, Turkish.
import { sentenceRules } from './sentence-rules.ts';

export const greek = sentenceRules({
  moreTerminals: ';\u037e',
  never: `
    κ κα κος κον Δρ δρ δις Δις Δίδα καθ Καθ Αγ αγ Πρ π.χ λ.χ Σ.Σ π.δ βλ πρβλ δηλ δλδ τ.έ τουτ περ περίπ αντ
    Γεν Συν Ταξ Λοχ Υπλγ Πλ πλ λεωφ οδ αρ Αρ αριθ σελ σ τομ τεύχ κεφ εδ άρθ παρ εικ σχ πίν τηλ τηλεομ φαξ
    λ μ π ελλ αγγλ γαλλ γερμ λατ ιταλ κ.ά.α`,
  sometimes: `
    Ιαν Φεβ Φεβρ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Σεπτ Οκτ Νοε Νοεμ Δεκ Δευ Τρ Τετ Πεμ Παρ Σαβ Κυρ
    ιαν φεβ μαρ απρ ιουν ιουλ αυγ σεπ οκτ νοε δεκ π.Χ μ.Χ π.μ μ.μ Α.Ε Ε.Π.Ε Ο.Ε Η.Π.Α Θ Χρ Κων Γεώρ e.g i.e Ltd Inc`,
  usually: 'κλπ κ.λπ κ.λ.π κτλ κ.τ.λ κ.ά κ.α κ.ο.κ κ.τ.ό κ.ο etc',
  afterNumber: 'εκ εκατ δισ χιλ ευρ χλμ χιλμ κιλ λεπ δευτ γρ',
  starters: `
    Α Αλλά Αν Ακόμα Ακόμη Ακριβώς Αμέσως Ανάμεσα Αντί Απ' Από Απόψε Αργότερα Αρχικά Άρα Αυτά Αυτές Αυτή Αυτό Αυτοί Αυτός Αύριο Αφού
    Βέβαια Για Γι' Γιατί Δε Δεν Δυστυχώς Δύο Εάν Εγώ Εδώ Είμαι Είμαστε Είναι Είστε Εκεί Εκείνη Εκείνο Εκείνος Ένα Έναν Ένας Εμείς
    Ενώ Εξάλλου Επειδή Επίσης Έπειτα Επομένως Εσείς Εσύ Ευτυχώς Ευχαριστώ Έτσι Έχει Έχουμε Έχουν Έχω Ζει Η Ή Ήδη Ήθελα Ήμουν Ήρθε Ήταν
    Θα Ίσως Και Κάθε Καθώς Κάνει Κάποια Κάποιοι Κάποιος Κάποτε Κάτι Κατά Κι Λοιπόν Λένε Μα Μαζί Μάλιστα Μας Με Μερικές Μερικοί Μετά
    Μέχρι Μήπως Μην Μη Μια Μία Μόλις Μόνο Μου Μπορεί Μπορείς Μπορώ Να Ναι Ο Οι Όλα Όλες Όλοι Όμως Όποιος Όπου Όπως Όσο Όσοι Όταν Ό,τι
    Ότι Ούτε Όχι Παρά Παρακαλώ Πάντα Πάντως Παρόλο Περίπου Ποια Ποιο Ποιος Πολλά Πολλές Πολλοί Πολύ Πόσο Ποτέ Πότε Που Πού Πρέπει Πριν
    Προς Πρώτα Πως Πώς Σας Σε Σήμερα Στα Στη Στην Στις Στο Στον Στους Συνεπώς Συνήθως Συχνά Σύμφωνα Τα Τελικά Τη Την Της Τι Τις Το
    Τον Τότε Του Τους Τώρα Των Υπάρχει Υπάρχουν Ύστερα Φυσικά Χθες Χωρίς Ως Ωστόσο Ώστε`,
  counts: {
    labels: `
      σελίδα σελίδες σελ κεφάλαιο κεφ αριθμός αριθμό αρ αριθ εικόνα εικ πίνακας πίνακα ενότητα μέρος τόμος έκδοση
      άρθρο δωμάτιο αίθουσα πύλη πλατφόρμα αποβάθρα γραμμή λεωφορείο όροφος όροφο έτος έτους τάξη ερώτηση βήμα φάση
      τύπος παράγραφος ώρα τηλ`,
    months: `
      ιανουάριος ιανουαρίου ιανουάριο φεβρουάριος φεβρουαρίου φεβρουάριο μάρτιος μαρτίου μάρτιο απρίλιος απριλίου
      απρίλιο μάιος μαΐου μάιο ιούνιος ιουνίου ιούνιο ιούλιος ιουλίου ιούλιο αύγουστος αυγούστου αύγουστο σεπτέμβριος
      σεπτεμβρίου σεπτέμβριο οκτώβριος οκτωβρίου οκτώβριο νοέμβριος νοεμβρίου νοέμβριο δεκέμβριος δεκεμβρίου δεκέμβριο
      ιαν φεβ μαρ απρ ιουν ιουλ αυγ σεπ οκτ νοε δεκ`,
    links: `
      εκατό χίλια χιλιάδες χιλ εκατομμύριο εκατομμύρια εκατ δισεκατομμύριο δισεκατομμύρια δισ έως ως και ή με το του
      βαθμοί βαθμούς βαθμών τετραγωνικά κυβικά`,
    tails: 'π.μ μ.μ πρωί μεσημέρι απόγευμα βράδυ κελσίου',
    ordinalEnds: 'ος η ο ου ης ον οι ες',
    numerals: `
      δύο δυο τρεις τρία τέσσερις τέσσερα πέντε έξι εφτά επτά οκτώ οχτώ εννέα εννιά δέκα έντεκα ένδεκα δώδεκα δεκα-
      είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα εκατό χίλια`,
  },
});

export const hungarian = sentenceRules({
  ordinals: 'dotted',
  never: `
    dr Dr prof Prof ifj Ifj id Id özv Özv br gr Szt Szent szt főisk mérn ov ált alez ezr fhdgy fhgy hdgy szds őrgy vezds
    pl Pl ún u.n úgyn ui vö Vö ld lásd kb Kb köv mb mintegy vs ill illetve tkp
    u u.o uo uö i.m l c.m ford szerk szerző kiad angol ném lat 
    max min sz ker `,
  sometimes: `
    ábr bek bekezd év fszt em évf fsz kt köt lpt rkt szj t tér vm o j
    Bt Kft Rt Zrt Nyrt Kht Inc Ltd Co Jr Sz Gy Zs Cs Ny Ty Ly Dzs
    jan feb febr márc ápr máj jún júl aug szept okt nov dec hétf kedd sze csüt pén szo
    Kr Kr.e Kr.u i.e i.sz de du d.e d.u e.g`,
  usually: 'stb st etc s.a.t.t satöbbi',
  afterNumber: 'szd milli mrd Ft p mp ó old',
  starters: `
    A Á Addig Ahogy Aki Akik Akkor Ahol Alig Ám Ami Amíg Amikor Annak Anya Az Azok Azonban Aztán Azért Azt Azóta Bár Bármi Be Benne
    Biztos Biztosan De Dehogy E Ebben Eddig Egy Egyáltalán Egyes Egyik Egyszer Együtt Ehhez Ekkor Előbb Először El Elég Én Ennek Épp
    Erre Erről És Este Ez Ezek Ezen Ezért Ezt Ezután Fel Ha Hamarosan Hanem Hát Helyes Hol Hogy Hogyan Holnap Honnan Hová Igen Így Ilyen
    Inkább Is Itt Ja Jó Jól Kell Késő Később Kérem Ki Kicsi Köszönöm Között Le Legyen Lehet Majd Már Maga Maradt Más Mások Meg Még Mellette
    Mert Mi Miatt Miért Mikor Milyen Mind Minden Mindenki Mindig Mindkettő Mire Most Mennyi Na Nagyon Nálunk Ne Neki Néha Nem Nekem Nincs
    Nos Ő Ők Olyan Onnan Ott Pedig Persze Régen Rögtön Sajnos Se Sem Semmi Senki Sok Sokan Soha Számomra Szerintem Szóval Talán Te Tegnap
    Tehát Ti Több Tudod Továbbá Ugyanis Úgy Után Utána Vagy Vajon Valaki Valami Van Vannak Végül Vele Viszont Volt Voltak`,
  beforeNumber: 'tel fax',
  counts: {
    labels: `
      sz szám számú oldal fejezet kötet verzió busz vágány peron év ábra táblázat gate típus reggel délelőtt délután
      este éjjel kb tel huf eur usd`,
    months: `
      január- február- március- április- május- június- július- augusztus- szeptember- október- november- december-
      jan febr márc ápr máj jún júl aug szept okt nov dec`,
    links: 'száz ezer millió milliárd mrd és vagy fok négyzet köb',
    tails: 'óra órakor perckor celsius',
    ordinalEnds: 'as es os ös ik',
    numerals: `
      két kettő három négy öt hat hét nyolc kilenc tíz tizen- húsz huszon- harminc- negyven- ötven- hatvan- hetven-
      nyolcvan- kilencven- száz- ezer-`,
  },
});

export const turkish = sentenceRules({
  ordinals: 'dotted',
  ordinalHeads: `
    Dünya Lig Levent Ordu Ahmet Mehmet Murat Mustafa Mahmud Osman Selim Süleyman Abdülhamid Uluslararası Ulusal Olağan`,
  never: `
    Dr Prof Doç Yrd Yard Öğr Gör Arş Uzm Av Sn Hz Ord Op Ecz Müh Mim Y.Müh Gen Org Korg Tümg Tuğg Alb Yb Bnb Yzb Ütğm Tğm
    St örn ör Örn bkz Bkz krş çev vd y.y hzl sad a.g.e age a.g.m agm
    Alm İng Fr Ar Far Yun Lat Rus tkr yakl maks min max ort vs.vb Gn
    Nu nu tel Tel faks s ss sf sy şek tab böl md mad fık bl c C`,
  sometimes: `
    Cad cad Sok sok Sk Mah mah Blv Bulv Apt apt Kat kat Blok İst Ank Şb Şti Ltd A.Ş AŞ T.C TC M.Ö M.S MÖ MS İ.Ö İ.S
    Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara Pzt Sal Çar Per Cum Cmt Paz Jr Inc Co Ph.D T.B.M.M`,
  usually: 'vb vs v.b v.s v.d dig diğ etc b.b',
  afterNumber: 'dk sn sa yy kg km cm mm TL kr mr ',
  starters: `
    A Acaba Ama Ancak Anne Annem Artık Aslında Aynı Az Ayrıca Baba Babam Bana Bazen Bazı Belki Ben Beni Benim Beş Biz Bize Bizim Bir Biraz
    Birçok Biri Birkaç Böyle Böylece Bu Bugün Bunlar Bunu Bunun Buna Bundan Burada Buradan Bütün Çok Çoğu Çünkü Daha Dahası Değil Demek
    Derken Diğer Dolayısıyla Dün Eğer En Elbette Esas Evet Fakat Galiba Gel Gene Genellikle Gerçekten Git Gitti Gibi Hadi Halbuki Hangi Hatta
    Hala Hâlâ Hayır Hem Hemen Henüz Her Herkes Hiç Hiçbir Hani Hoş İçin İki İlk İnsan İnsanlar İşte İyi İyice Kaç Kadar Karşı Kendi Kim Kimi Kimse Keşke
    Lütfen Madem Meğer Merhaba Mesela Neden Ne Neler Nasıl Nerede Nereye Nihayet Niçin Niye O Oldukça Olur Ona Onlar Onu Onun Ondan Orada
    Oysa Önce Öyle Öyleyse Peki Rağmen Sadece Sakın Sana Sanki Sen Seni Senin Siz Size Sizin Son Sonra Sonunda Sonuçta Şimdi Şöyle Şu Şunu
    Tabii Tam Tamam Teşekkürler Tüm Üstelik Üç Var Ve Ya Yani Yarın Yalnız Yine Yok Yoksa Zaten Zira`,
  beforeNumber: 'no',
  counts: {
    labels: `
      sayfa s bölüm no numara şekil tablo kısım cilt sürüm madde oda salon kapı peron hat otobüs kat yıl sınıf soru
      adım aşama tip saat sabah öğlen akşam gece tel eur usd tl`,
    months: 'ocak- şubat- mart- nisan- mayıs- haziran- temmuz- ağustos- eylül- ekim- kasım- aralı-',
    links: 'yüz bin milyon milyar trilyon ile ve veya ila derece',
    tails: 'buçuk celsius kare küp yılında',
    ordinalEnds: 'inci ıncı üncü uncu nci ncı ncü ncu',
    numerals: `
      iki üç dört beş altı yedi sekiz dokuz on yirmi- otuz- kırk elli- altmış- yetmiş- seksen- doksan- yüz bin`,
  },
});

export const albanian = sentenceRules({
  never: `
    z Z zj Zj znj Znj zt Zt dr Dr prof Prof doc inxh Inxh ing av arq akad gjen kol kap Sh Shën Shkëlq Sh.T
    p.sh psh d.m.th dmth e.g i.e d.t.th m sh m.sh krhs kr rr ca maks max red përkth bot
    bul bulev lagj rrug nr Nr fq f tab fig vëll tel faks cel
    angl frëng gjerm lat it gr`,
  sometimes: `
    jan shk mar pri maj qer korr gush sht tet nën dhj hën mër enj p.e.s e.s p.e.r e.r p.Kr m.Kr pas.Kr
    Dh Gj Ll Nj Rr Th Xh Zh Sh.A Sh.p.k sh.p.k sh.a Ltd Inc Co Jr`,
  usually: 'etj e.tj etc etj.etj',
  afterNumber: 'shek sek min mln mld kg km cm',
  starters: `
    A Ai Ajo Akoma Ashtu Asgjë Askush Asnjë Ata Ato Atje Atëherë Aty Besoj Çdo Çfarë Çka Çuditërisht Deri Derisa Disa Dje Do Duhet Duke
    Dhe E Edhe Ende Është Faleminderit Fatkeqësisht Gjatë Gjithashtu Gjithçka Gjithmonë Herë I Ishin Ishte Ja Jam Janë Jemi Jo Ju Ka Kam Kanë
    Kemi Kështu Këta Këto Këtu Ky Kjo Kishte Kur Kurrë Kush Kujdes Krahas Ku Kudo Lart Le Ma Madje Me Megjithatë Megjithëse Mbi Më Mendoj
    Meqë Mirë Mos Mund Na Ndërkohë Ndërsa Ndoshta Ne Në Nëse Nesër Nga Një Njerëzit Nuk O Or Pa Para Pas Pasi Pastaj Për Përse Po Por
    Prandaj Pra Pse Që Qysh S' Sa Secili Se Sepse Si Sigurisht Sot Shpesh Shumë Tani Tashmë Te Tek Të Ti Tjetër Tregon U Unë Vetëm Vërtet
    Zakonisht`,
  beforeNumber: 'par',
  counts: {
    labels: `
      faqe faqja faqen fq kapitulli kapitull kap numri numër numrin nr figura fig tabela pjesa vëllimi versioni neni
      dhoma dhomë salla porta platforma linja autobusi kati viti viteve vitin klasa pyetja hapi faza lloji ora orën
      tel eur usd`,
    months: `
      janar janari janarit shkurt shkurti shkurtit mars marsi marsit prill prilli prillit maj maji majit qershor
      qershori qershorit korrik korriku korrikut gusht gushti gushtit shtator shtatori shtatorit tetor tetori tetorit
      nëntor nëntori nëntorit dhjetor dhjetori dhjetorit`,
    links: 'qind mijë milion milionë miliard miliardë mln mld deri dhe ose gradë të',
    tails: 'paradite pasdite mëngjes mbrëmje natës celsius katrorë',
    ordinalEnds: 'të ta',
    numerals: `
      dy tre tri katër pesë gjashtë shtatë tetë nëntë dhjetë -mbëdhjetë njëzet tridhjetë dyzet -dhjetë -qind mijë`,
  },
});
