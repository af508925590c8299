// Sentence rules of Czech and Polish, and of the Slavic languages of the South in Latin letters.
import { sentenceRules } from './sentence-rules.ts';

export const polish = sentenceRules({
  ordinals: 'dotted',
  // An abbreviation that keeps the last letter has no the standard ("dr"), but its other cases have ("dr. Nowaka").
  never: `
    dr prof hab inż mgr lic doc red ks o bp abp kard św bł gen płk ppłk mjr kpt ppor sierż plut adm kmdr p pp
    al ul pl os np tzn tj tzw m.in m t.zw j.w jw wg ca ewent ew zob przyp tłum oprac wyd pt pn ds
    b br ub dn godz mies nt pw płn płd wsch zach zwł śp ws wz zast zam z s.p dyr kier lek med przew st
    ang niem franc łac grec pol hiszp wł czes
    max min maks tel nr fax faks str rozdz rys ryc tab ust pkt lit cyt`,
  sometimes: `im hr
    c cz d ed fig jr kat kol lp mec nast obr odc pok sygn t tow vol wew woj zał zesz
    sp.z o.o z.o.o S.A s.c Jr Sr Inc Ltd Co
    sty lut mar kwi maj cze lip sie wrz paź lis gru pon wt śr czw sob niedz n.e p.n.e`,
  beforeNumber: 'ok par poz art por kom',
  usually: 'itd itp etc i.in',
  afterNumber: 'szt tys mln mld r w ww rr s zł gr',
  starters: `
    A Aby Albo Ale Ani Bardzo Bez Bo Być Był Była Było Byli Były Chociaż Choć Chyba Ci Cała Cały Co Coś Czasami Czemu Często Czy Czyli
    Dla Dlaczego Dlatego Do Dobrze Dopiero Dziękuję Dziś Dzisiaj Gdy Gdyby Gdzie Go I Ich Ile Im Inni Ja Jak Jakie Jako Jaki Jednak
    Jednakże Jego Jej Jest Jestem Jeszcze Jeśli Jeżeli Już Każda Każdy Kiedy Kto Ktoś Która Które Który Lecz Lub Ma Mam Mamy Może
    Mój Można Musi My Na Nad Najpierw Nam Nasz Nasza Natomiast Następnie Nawet Nic Nie Niech Niektórzy Niestety Nigdy Nikt O Obok
    Od Ona One Oni Ono On Oraz Oto Pamiętaj Po Pod Podczas Ponieważ Potem Pozostał Później Proszę Przed Przede Przez Przy Są Skąd
    Sam Skoro Stąd Swój Ta Tak Także Tam Te Tego Ten Tej Teraz Też To Trzeba Tu Tutaj Twój Ty Tylko Tym Tymczasem U W We Wczoraj
    Według Więc Wiele Wielu Wkrótce Właśnie Wreszcie Wszyscy Wszystkie Wszystko Wśród Wtedy Wy Z Za Zaś Zanim Zawsze Ze Znowu Że Żeby`,
  counts: {
    labels: `
      strona stronie stronę strony str s rozdział rozdziale rozdz nr numer numerze numeru rysunek rys tabela tab część
      części tom wersja wersji artykuł art pokój pokoju sala sali bramka peron peronie tor torze linia linii autobus
      piętro rok roku klasa klasie pytanie krok etap typ godz godzina godzinie godziny ust pkt pln eur usd tel`,
    months: `
      styczeń stycznia styczniu luty lutego lutym marzec marca marcu kwiecień kwietnia kwietniu maj maja maju czerwiec
      czerwca czerwcu lipiec lipca lipcu sierpień sierpnia sierpniu wrzesień września wrześniu październik
      października październiku listopad listopada listopadzie grudzień grudnia grudniu sty lut mar kwi cze lip sie
      wrz paź lis gru`,
    links: `
      sto tysiąc tysiące tysięcy tys milion miliony milionów mln miliard miliardy miliardów mld do i lub oraz a stopni`,
    tails: 'rano wieczorem popołudniu nocy celsjusza kwadratowych sześciennych roku r',
    ordinalEnds: 'go ego ej ma mu',
    numerals: `
      dwa dwie dwóch trzy trzech cztery czterech pięć pięciu sześć sześciu siedem siedmiu osiem ośmiu dziewięć
      dziewięciu dziesięć dziesięciu -naście dwadzieścia trzydzieści czterdzieści -dziesiąt sto dwieście trzysta
      czterysta -set tysiąc`,
  },
});

export const czech = sentenceRules({
  ordinals: 'dotted',
  never: `tj
    dr prof doc ing Ing mgr Mgr Bc bc MUDr JUDr PhDr RNDr PaedDr ThDr MVDr PharmDr akad arch gen plk pplk mjr kpt por npor npr např sv
    p pí sl tzv tzn t.j mj kupř popř resp event ev zejm vč př angl něm franc lat rus čes slov řec
    max cca asi ca srov vs nábř nám ul tř al
    tel fax č čís str kap obr tab odst čl par písm sb roč vyd`,
  sometimes: `
    hod mil mld tis r roz red s stol stř t v z pol Jr Sr Inc Ltd Co a.s s.r.o v.o.s k.s o.p.s z.s
     úno bře dub kvě čvn čvc srp zář říj lis čt pá n.l př.n.l po.Kr př.Kr CSc Ph.D DrSc Csc`,
  usually: 'atd atp etc aj apod',
  afterNumber: 'min sek km kg ks',
  starters: `
    A Aby Ale Ani Ano Asi Až Bez Byl Byla Bylo Byli Byly Celý Cena Co Chtěl Čím Dále Dnes Do Dokonce Děkuji I Ihned Já Jak Jaká Jaké
    Jaký Je Jeho Její Jejich Jen Jenže Jenom Ještě Jestli Jestliže Jsem Jsme Jsou Už K Kam Kde Kdo Kdy Kdyby Když Každá Každé Každý Která
    Které Který Kolik Kromě Ledaže Mám Máme Má Mají Mezi Mě Mně Mohl Mnoho Mu Musí Možná My Na Nad Nakonec Naopak Naše Náš Ne Nebo
    Nebyl Nejprve Není Nic Nikdo Nikdy Někdo Někdy Některé Některý O Od Ona Oni Ono On Pak Po Pod Podle Pokud Poté Potom Pouze Pozor
    Prosím Proč Pro Proti Proto Protože Před Přes Při Přesto Přitom S Se Si Snad Stále Sám Ta Tady Tak Také Takže Tam Tato Tedy Tehdy
    Ten Tento Teď Teprve Ti Tím To Tohle Toto Tu Ty Tyto U Určitě V Ve Vedle Včera Všechno Všichni Všude Však Vy Vždy Vždyť Z Za Začal
    Začali Zatímco Zde Ze Zítra Znovu Že Žádný`,
  counts: {
    labels: `
      strana straně stranu strany str s kapitola kapitole kap č číslo čísle čís obrázek obr tabulka tab část části díl
      svazek verze verzi článek čl odstavec odst bod pokoj pokoji sál brána nástupiště kolej koleji linka lince
      autobus patro rok roku roce třída otázka krok fáze typ kč czk eur usd tel`,
    months: `
      leden ledna lednu únor února únoru březen března březnu duben dubna dubnu květen května květnu červen června
      červnu červenec července červenci srpen srpna srpnu září říjen října říjnu listopad listopadu prosinec prosince
      prosinci`,
    links: 'sto tisíc tisíce milion miliony milionů mil miliarda miliardy miliard mld až a nebo do stupňů',
    tails: 'ráno dopoledne odpoledne večer celsia čtverečních krychlových',
    numerals: `
      dva dvě dvou tři tří čtyři čtyř pět pěti šest šesti sedm sedmi osm osmi devět devíti deset deseti -náct dvacet
      třicet čtyřicet -desát sto třista čtyřista -set tisíc`,
  },
});

/** Croatian, and Serbian where it is written in Latin letters. */
export const SOUTH_SLAVIC_LATIN = {
  never: `sc
    dr prof doc ing inž mr mag akad gosp g gđa gđ gđica gdja o vlč mons sv puk por dipl ul trg bul
    npr tj tzv tzn t.j t.zv odn ev eng njem nem franc tal lat rus grč usp v cca ca vs max maks uklj isklj str tel faks čl st
    tab pogl gl knj odj toč tč`,
  sometimes: `gen kap
    god stolj vek r ured izd t d.d d.o.o j.d.o.o o.d s.r.o a.d Lj Nj Dž Jr Sr Inc Ltd Co
    sij velj ožu srp ruj lis stu jan feb mar apr maj jun jul avg sep okt nov dec pon uto sre čet pet sub ned
    n.e pr.n.e p.n.e pr.Kr po.Kr Kr`,
  beforeNumber: 'br',
  usually: 'itd itsl sl i.sl i.dr etc',
  afterNumber: 'sat min sek kn din km kg mil mlrd tis hilj',
  starters: `
    A Ako Ali Bez Bila Bilo Bili Bio Biti Brzo Već Vi Više Vrlo Gde Gdje Da Dakle Dan Danas Do Dobro Dok Dokle Druga Drugi Dva Evo Ga
    Hvala I Iako Ili Ima Imam Imao Inače Ipak Isto Iz Iza Između Ja Jako Jedan Jedna Jednom Je Jer Jesu Jesi Još Jučer Juče Kad Kada Kako
    Kao Kod Koja Koje Koji Koliko Kroz Ljudi Međutim Meni Mi Mislim Mnogi Mnogo Možda Može Moj Moja Moje Moram Mora Na Nad Nakon Naš Naša
    Naše Nažalost Ne Neka Neki Nego Nema Nemam Ni Nije Nikad Nikada Nismo Ništa Nitko Niko No O Od On Ona Onda Oni Ono Osim Ova Ovaj Ovdje
    Ovde Ove Ovo Ovi Pa Po Pod Pogledaj Poslije Posle Pored Potom Pre Prema Pri Prije Prvi Prvo S Sa Sada Sad Sam Samo Se Sve Svaki Svatko
    Svako Svi Smo Ta Tada Taj Tako Također Takođe Tamo Te Tek Ti Tko Ko To Toga Tu U Ubrzo Unatoč Uprkos Uskoro Uvijek Uvek Uz Zar Zašto
    Zato Za Zatim Zbog Čak Čim Će Što Šta Sutra Kasnije Čovjek Njegov Njegova Njezin Njena Njihov Nova Novi`,
  counts: {
    labels: `
      stranica stranici stranicu str strana strani stranu poglavlje poglavlju pogl broj br slika sl tablica tabela dio
      deo svezak verzija verziji članak član čl soba sobi dvorana vrata peron kolosijek kolosek linija liniji autobus
      kat sprat godina godine godini razred pitanje korak faza tip rsd din eur usd tel`,
    months: `
      siječanj siječnja siječnju veljača veljače veljači ožujak ožujka ožujku travanj travnja travnju svibanj svibnja
      svibnju lipanj lipnja lipnju srpanj srpnja srpnju kolovoz kolovoza kolovozu rujan rujna rujnu listopad listopada
      listopadu studeni studenog studenoga studenom prosinac prosinca prosincu januar januara februar februara mart
      marta april aprila maj maja jun juna jul jula avgust avgusta septembar septembra oktobar oktobra novembar
      novembra decembar decembra`,
    links: `
      sto tisuća tisuće tisuću hiljada hiljade hiljadu milijun milijuna milijuni milion miliona milioni milijarda
      milijarde milijardi mil mlrd do i ili stupnjeva stepeni kvadratnih kubnih`,
    tails: 'ujutro ujutru prijepodne popodne poslijepodne navečer uveče noću celzija sati sata godine',
    numerals: `
      dva dvije dve tri četiri pet šest sedam osam devet -naest -deset sto dvjesto dvesta tristo trista tisuću hiljadu`,
  },
};

export const croatian = sentenceRules({ ...SOUTH_SLAVIC_LATIN, ordinals: 'dotted-years' });
