// Sentence rules of Afrikaans, Danish, Dutch, German and Swedish.
import { sentenceRules } from './sentence-rules.ts';

export const german = sentenceRules({
  ordinals: 'dotted-nouns',
  // Every noun has a capital, so only the commonest first words tell a sentence start.
  never: `
    Hr Hrn Fr Frl Dr Drs Prof PD Dipl Dipl-Ing Dipl.-Ing Dr.-Ing Ing Hl St Frhr Gf Fam Rr Lic med phil jur rer nat habil oec pol h.c
    z z.B z.Hd z.H z.T z.Z z.Zt z.b d d.h d.i d.J d.M u u.a u.U u.E v v.a i i.d.R i.S.v i.V i.A i.e.S i.w.S m.E o.g s s.a
    bspw bzw ca evtl eventl exkl gem gest ggf ggfs inkl insb insbes lt mind mtl sog urspr verh vgl vs zzgl abzgl allg
    betr bes bez bzgl dgl ehem einschl entspr erg ev frz griech lat engl dt dtsch jährl kath lfd max min mögl
    näml öffentl österr schweiz resp spez Mio Mrd Tsd tägl teilw vorl wg zit zw zus`,
  sometimes: `
    Abb Abs Abschn Anm Aufl Bd Bde Bf Bhf Bl Bsp Chr Fa Fn Ges Hbf Hg Hrsg Jg Jgg Jh Jhd Jhdt Kap Kto Kl Lfg Lt Nr Nrn
    Pkt Pl Rdnr Rn S Sp Std Stk Str Tab Tel Ziff Zl geb gegr gez Co Inc Ltd Corp Jr Sr
                   Mo Di Mi Do Sa So
    v.Chr n.Chr v.u.Z n.u.Z B.A M.A B.Sc M.Sc Ph.D
    -str -straße -strasse -pl`,
  usually: 'usw usf etc ff f o.ä o.Ä u.ä u.Ä o.dgl u.dgl u.v.m u.v.a u.a.m a.D e.V G.m.b.H',
  afterNumber: 'Min Sek Jhrg Pf Ct Stck',
  starters: `
    Aber Alle Allerdings Alles Als Also Am An Auch Auf Aus Außerdem Bei Beide Beim Bevor Bis Bitte Da Dabei Dadurch Dafür
    Dagegen Daher Damals Damit Danach Dann Daran Darauf Darum Das Dass Davon Dazu Dein Deine Dem Den Denn Dennoch Der
    Deren Des Deshalb Dessen Deswegen Die Dies Diese Dieser Dieses Doch Dort Du Durch Ebenso Ein Eine Einen Einer Eines
    Einige Endlich Er Erst Es Etwas Falls Für Ganz Gegen Genau Gestern Hat Hatte Heute Hier Hinter Hoffentlich Ich Ihr
    Ihre Ihren Im Immer In Inzwischen Irgendwann Ist Ja Jede Jeder Jedes Jedoch Jemand Jetzt Kann Kein Keine Keiner Können
    Leider Man Manche Manchmal Mein Meine Meistens Mit Morgen Muss Nach Nachdem Natürlich Neben Nein Nicht Nichts Niemand
    Noch Nun Nur Ob Obwohl Oder Ohne Oft Schließlich Schon Sehr Seine Seit Seitdem Sicher Sie Sind So Sobald Solche
    Sondern Sonst Später Trotzdem Über Um Und Unser Unsere Unter Viele Vielleicht Vom Von Vor War Waren Wann Warum Was
    Weder Wegen Weil Weiter Welche Wenn Wer Werden Wie Wieder Willst Wir Wird Wo Wollen Während Zu Zuerst Zum Zur Zwar
    Zwischen`,
  beforeNumber: 'Art Jan Jän Feb Febr Mär Mrz Apr Jun Jul Aug Sep Sept Okt Nov Dez',
  counts: {
    labels: `
      seite seiten s kapitel kap nr nummer nummern abb abbildung tabelle tab abschnitt abs absatz teil band bd heft
      ausgabe version artikel art zimmer raum gate gleis linie bus hausnummer etage platz stufe phase jahr jahre
      jahren jahres typ klasse ziffer punkt paragraf paragraph frage aufgabe bahnsteig flug zug ice rb re eur usd chf
      gbp tel`,
    months: `
      januar jänner februar feber märz april mai juni juli august september oktober november dezember jan feb mär mrz
      apr jun jul aug sep sept okt nov dez`,
    links: `
      hundert tausend million millionen milliarde milliarden billion billionen mio mrd tsd bis und oder quadrat grad
      dutzend nautische`,
    tails: `
      uhr morgens früh vormittags mittags nachmittags abends nachts celsius fahrenheit pro stunde sekunde n.chr v.chr`,
    ordinalEnds: 'te ten ter tes tem ste sten ster stes stem er ern',
    numerals: `
      zwei drei vier fünf sechs sieben acht neun zehn elf zwölf -zehn -zwanzig -dreißig -vierzig -fünfzig -sechzig
      -siebzig -achtzig -neunzig -hundert -tausend million millionen`,
  },
});

export const dutch = sentenceRules({
  never: `dhr mr mevr mw mej dr drs ds ir ing prof
      Mrs Ms Sr St Zr Br Jhr Jkvr Burg Em Gen Kol Kapt Lt Ps med hc
    a.d b.v bijv bv bijvb d.d d.m.v d.w.z dwz i.c i.h.k.v i.p.v i.t.t i.v.m m.a.w m.b.t m.b.v m.n n.a.v o.a o.b.v
    o.i.d o.l.v o.m t.a.v t.b.v t.g.v t.o.v t.w w.o z.g zgn z.s.m vgl ca circa evt excl incl inkl jl ll max min mln mld mrd
    resp vnl vs i.e e.g p.a p.o nl m.i IJ Joh Chr Th Ph`,
  sometimes: `
    afb afd alg blz bldz dl fig hfst jrg p pag str tel Co Inc Ltd Jr Bros
    jan feb mrt apr jun jul aug sep sept okt nov dec di wo vr za v.Chr n.Chr B.V N.V V.O.F M.Sc B.Sc Ph.D -str -ln`,
  usually: 'etc enz ev e.d e.v e.a e.m a.u.b m.m s.v.p',
  afterNumber: 'sec wk mnd gld',
  starters: `
    Aan Al Alle Alleen Alles Als Altijd Beide Bij Daar Daarna Daarom Dan Dat De Deze Die Dit Doch Doe Door Dus Een Eerst
    Eindelijk Elk Elke En Er Gisteren Haar Had Hebben Heeft Heel Het Hier Hij Hoe Hoewel Hun Iedereen Iemand Ik In Is Ja
    Je Jij Jullie Kan Maar Meer Men Met Mijn Misschien Moet Na Naar Natuurlijk Nee Niemand Niet Niets Nog Nu Of Om Omdat
    Onder Ondertussen Ons Onze Ook Op Over Pas Sinds Soms Te Tegen Terwijl Toch Toen Tot Tussen U Uit Uw Van Vandaag Vanaf
    Veel Volgens Voor Waar Waarom Wanneer Want Waren Was Wat We Wel Welke Werd Wie Wij Wil Ze Zelfs Zij Zijn Zo Zoals
    Zodra Zonder Zou`,
  beforeNumber: 'vol art par nr nrs',
  counts: {
    labels: `
      pagina pagina's pag blz bladzijde hoofdstuk hfst nr nummer figuur fig tabel deel band versie artikel art
      paragraaf kamer gate spoor lijn bus huisnummer verdieping etage perron jaar type klasse vraag stap fase eur usd
      tel`,
    months: `
      januari februari maart april mei juni juli augustus september oktober november december jan feb mrt apr jun jul
      aug sep sept okt nov dec`,
    links: 'honderd duizend miljoen miljard biljoen mln mld tot en of à graden vierkante kubieke',
    tails: "uur ochtends morgens middags avonds nachts 's ’s celsius fahrenheit per",
    ordinalEnds: 'e de ste',
    numerals: `
      twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien
      negentien -twintig -dertig -veertig -vijftig -zestig -zeventig -tachtig -negentig -honderd duizend miljoen`,
  },
});

export const afrikaans = sentenceRules({
  never: `mnr mev mej dr drs ds prof adv 
       Me Sers Gen Kol Kapt Lt Maj Past Eerw St Mr Mrs Ms 
    bv d.w.s dws m.a.w o.a i.p.v i.v.m n.a.v t.o.v t.w w.o sg sogen bl asb aant vgl ca mnl max min insl uitsl gem
    afk nl d.m.v o.l.v s.g m.b.t a.g.v i.s`,
  sometimes: `
    afb afd fig hfst p str tel hoofst bls Jan Feb Mrt Apr Jun Jul Aug Sep Sept Okt Nov Des
           v.C n.C v.Chr n.Chr Edms Bpk Co Inc Ltd Jr Sr vm nm v.m n.m B.A M.A M.Sc Ph.D -str`,
  usually: 'ens etc e.a e.d.m e.s.m m.m a.u.b ea',
  afterNumber: 'mil milj sek ',
  starters: `
    Al Alle Alles Altyd Any As Baie Beide By Daar Daarna Daarom Dan Dat Deur Die Dis Dit Ek Elke En Ons Gister Hier Hierdie
    Hoe Hoekom Hom Hulle Hy In Is Iemand Ja Jou Jy Julle Kan Maar Meer Met Miskien Moenie Moet My Na Nee Niemand Niks Nog
    Nou Ook Om Omdat Onder Ongelukkig Op Saam Sal Sedert Sommige Soms Soos Sy Tans Tog Toe Tot Tussen Uit Van Vanaf Vandag
    Verder Volgens Voor Vir Waar Waarom Wanneer Want Was Wat Wie Wil`,
  beforeNumber: 'vol art par no nr nrs',
  counts: {
    labels: `
      bladsy bl hoofstuk nr nommer figuur fig tabel deel weergawe artikel paragraaf kamer hek spoor lyn bus verdieping
      perron jaar tipe klas graad vraag stap fase r zar eur usd tel`,
    months: `
      januarie februarie maart april mei junie julie augustus september oktober november desember jan feb mrt apr jun
      jul aug sep sept okt nov des`,
    links: 'honderd duisend miljoen miljard tot en of grade vierkante kubieke',
    tails: 'uur vm nm soggens smiddags saans celsius per',
    ordinalEnds: 'e de ste',
    numerals: `
      twee drie vier vyf ses sewe agt nege tien elf twaalf dertien veertien vyftien sestien sewentien agtien negentien
      -twintig -dertig -veertig -vyftig -sestig -sewentig -tagtig -negentig honderd duisend miljoen`,
  },
});

export const swedish = sentenceRules({
  never: `
    Dr dr Prof prof Hr hr Fr fr Frk frk Ing ing Kapt kapt St S:t S:ta Doc doc Lic
    bl bl.a t t.ex d.v.s dvs s.k f.d fr.o.m t.o.m m.a.o p.g.a pga e.g i.e t.f a.a
    ca cirka exkl inkl eg enl ev evt resp jfr jf jmf mots vs f e f.n t.h
    max mdr mn`,
  sometimes: `
     avd bd fig kl nr nro s sid sp tab tel tfn vol tr st Jr Sr Co Inc Ltd
    jan feb apr jun aug sep sept okt nov dec mån tis ons tors fre lör sön f.Kr e.Kr f.v.t e.v.t A.B`,
  usually: 'etc m.m m.fl o.s.v osv o.dyl o.d.y o.d dyl',
  afterNumber: 'tim sek kr milj',
  starters: `
    Alla Allt Alltid Andra Att Av Bara Både Båda Där Därefter Därför De Den Denna Dessa Det Detta Dig Din Du Efter Eftersom
    Ej Eller En Ett Fast Finns Flera Från För Först Före Genom Går Ha Han Hans Har Hej Hennes Hon Honom Hos Hur I Idag Igår
    Imorgon Inga Ingen Inget Innan Inte Ja Jag Kan Kanske Kom Man Med Medan Mellan Men Mer Min Mina Mot Mycket Måste När Ni
    Nej Nu Ny Någon Något Några Och Också Ofta Om Plötsligt På Redan Sedan Senare Sin Ska Skulle Snart Som Sådan Så Tack
    Till Trots Under Upp Utan Vad Var Vara Varför Varje Vem Vi Vid Vilken Vill Vissa Visst Vår Våra Åt Än Ändå Är Även Över`,
  beforeNumber: 'art kap bil min',
  counts: {
    labels: `
      sida sidan sid s kapitel kap nr nummer figur fig tabell tab avsnitt del band version paragraf artikel rum gate
      spår linje buss våning perrong år årskurs typ klass fråga steg fas kl klockan sek eur usd tel`,
    months: `
      januari februari mars april maj juni juli augusti september oktober november december jan feb mar apr jun jul
      aug sep sept okt nov dec`,
    links: 'hundra tusen miljon miljoner miljard miljarder mn md till och eller grader kvadrat',
    tails: 'morgonen förmiddagen eftermiddagen kvällen natten celsius per',
    ordinalEnds: 'a e',
    numerals: `
      två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton tjugo-
      trettio- fyrtio- femtio- sextio- sjuttio- åttio- nittio- hundra tusen`,
  },
});

export const danish = sentenceRules({
  ordinals: 'dotted',
  never: `
    Dr dr Prof prof Hr hr Fr fr Frk frk Ing ing Kapt St Skt Sct cand lic mag stud
    bl bl.a f f.eks feks fx d d.v.s dvs s.k såk t t.o.m t.eks m.h.t mht m.a.o p.g.a pga i.e e.g e
    ca cirka ekskl inkl eks evt resp jf jfr jvf iflg ifm vedr vs pr ift fhv ndf undt
    max maks mio mia`,
  sometimes: `
    afd afs bd fig kl nr nro p pag pkt s sp stk str tab tlf tel vol Jr Sr Co Inc Ltd ApS
    jan feb mar apr jun aug sep sept okt nov dec tirs ons tors fre lør f.Kr e.Kr f.v.t e.v.t A.S A/S`,
  usually: 'etc m.m m.fl m.v mv osv o.s.v o.l o.lign u.å',
  afterNumber: 'tim sek kr årh',
  starters: `
    Af Alle Allerede Alt Altid Andre At Bare Begge Da De Dem Den Denne Der Derefter Derfor Deres Det Dette Din Disse Du Efter
    Eller Én En Endelig Er Et Flere For Fordi Fra Før Først Går Gennem Ham Han Hans Har Hej Hendes Her Hos Hun Hvad Hvem
    Hver Hvis Hvor Hvordan Hvorfor Hvornår I Idag Igen Ikke Imens Ind Ingen Intet Ja Jeg Jo Kan Kom Kun Lad Man Mange Med
    Mellem Men Mens Mere Min Mine Mod Måske Må Når Nej Ni Noget Nogle Nogen Nu Ny Og Ofte Om Op Over På Selv Senere Sidste
    Siden Sin Skal Snart Som Sådan Så Tak Til Trods Ud Uden Under Ved Vi Vil Vor Vores Vær Å`,
  beforeNumber: 'art kap bilag min',
  counts: {
    labels: `
      side sider s kapitel kap nr nummer figur fig tabel afsnit del bind version paragraf artikel værelse gate spor
      linje bus etage sal perron år type klasse spørgsmål trin fase kl klokken kr dkk eur usd tlf`,
    months: `
      januar februar marts april maj juni juli august september oktober november december jan feb mar apr jun jul aug
      sep sept okt nov dec`,
    links: 'hundrede tusind million millioner milliard milliarder mio mia til og eller grader kvadrat',
    tails: 'morgenen formiddagen eftermiddagen aftenen natten celsius per',
    ordinalEnds: 'te',
    numerals: `
      to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten -tyve
      -tredive -fyrre -halvtreds -halvfjerds -firs -halvfems hundrede tusind`,
  },
});
