// What the rules of each family are for, language by language: ¦ stands where a segment ends. Whole texts stand in
// fixtures/texts; these are the single rules.
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/speech/language.ts';
import { segmentText } from '../../../src/text/segment.ts';
import { sentenceRulesOf } from '../../../src/text/sentences/language-rules.ts';
import { abbreviationKind, sentenceRules } from '../../../src/text/sentences/sentence-rules.ts';
import { wholeTextSegments } from '../../../src/text/turn-text.ts';

const CASES: Record<Exclude<Language, 'english'>, string[]> = {
  afrikaans: [
    'Ons het melk, brood ens. gekoop. ¦Dit was duur.',
    "Dit reën. ¦'n Man wag buite. ¦’n Vrou ook.",
    'Kyk bl. 4 en fig. 2 van dr. P. J. Nel se boek. ¦Hy weet.',
  ],
  albanian: [
    'Z. Hoxha dhe znj. Leka, p.sh., erdhën. ¦Ata ikën.',
    'Bleva bukë, qumësht, etj. ¦Ishte lirë.',
    'Në shek. XX u ndërtua rr. e Durrësit nr. 5. ¦Ajo është e gjatë.',
  ],
  amharic: ['ሰላም፡ለአንተ፡ይሁን፡፡ ¦እንዴት፡ነህ፧ ¦ደህና፡ነኝ።', 'በ1984 ዓ.ም. ተወለደ። ¦አሁን ትልቅ ነው!', '«ና!» አለ። ¦ሄደ።'],
  arabic: [
    'وصل د. كريم و أ. منى. ¦ثم بدأ الاجتماع؟ ¦نعم!',
    'السعر 3.5 دولار؛ وهذا رخيص. ¦هل تشتري؟¦لا أدري.',
  ],
  bengali: ['ড. সেন ও ডা. রায় এলেন। ¦কে এল?¦আমি!', 'মূল্য ৩.৫০ টাকা। ¦পৃ. ৫ দেখুন। ¦এম. এ. পাশ।'],
  bulgarian: [
    'Роден е през 1990 г. в гр. Русе. ¦Баща му е лекар.',
    'През 1944 г. България влезе във войната. ¦Тя излезе през 1945 г. ¦Мирът дойде.',
    'Купи хляб, сирене и др. ¦После се прибра. ¦Струва 5 лв. ¦Скъпо е.',
  ],
  catalan: [
    'El Sr. Puig viu al c. Major, núm. 3. ¦La Dra. Roca també.',
    'Compra pa, llet, etc. ¦Després torna. ¦És col·legi nou; per ex. aquell. ¦Sí.',
    'Va néixer l’any 50 a. C. a Roma. ¦¿Ho sabies? ¦No.',
  ],
  croatian: [
    'Došao je 3. svibnja 1990. godine u Zagreb. ¦Bilo je hladno.',
    'Ana je rođena 1990. ¦Njezin brat je stariji.',
    'Godine 1995. Hrvatska je bila slobodna. ¦Petar I. Veliki bio je car.',
    'Npr. kruh, mlijeko itd. ¦To je sve. ¦Lj. Babić slika.',
  ],
  czech: [
    'Sejdeme se 3. května 2024 v 5 hod. odpoledne. ¦Přijde Ing. Novák.',
    'Dne 2. 5. 2024 pršelo. ¦Karel IV. byl císař. ¦Ludvík XIV. Francouzský také.',
    'Koupil rohlíky, mléko atd. ¦Pak šel domů. ¦Firma ABC s. r. o. roste. ¦Řekl ne. ¦Odešel.',
  ],
  danish: [
    'Vi ses d. 3. maj kl. 5. ¦Kom til tiden.',
    'Hr. Holm bor i 2. sal, f.eks. ved siden af dr. Bo. ¦Det er min. ¦Hun sagde: »Ja.« ¦Han gik.',
    'Vi har brød, mælk osv. ¦Så er vi klar. ¦Margrethe II. af Danmark gik af.',
  ],
  dutch: [
    "Het vriest. ¦'s Avonds blijven we thuis. ¦’t Is koud.",
    'Mevr. De Boer en dhr. J. van Dijk, o.a., kwamen. ¦Ze bleven lang.',
    'Zie blz. 5 van dl. 2 enz. ¦Dat was het. ¦Ik ook. ¦Hij zei zo. ¦Piet ging.',
  ],
  french: [
    'M. Dupont arrive ! ¦Vraiment ? ¦« Oui ! » dit-il. ¦« Non. » ¦Elle sort.',
    'Né en 52 av. J.-C. à Rome, il mourut jeune. ¦Voir vol. 3, p. 5. ¦C’est tout.',
    'Il aime l’art. ¦Marie aussi. ¦Ils sont sept. ¦L’O.N.U. le sait.',
  ],
  galician: [
    'O Sr. Castro vive na r. Nova, n.º 3. ¦Ten pan, leite, etc. ¦Ata logo.',
    '¡Ola! ¦¿Que tal?¦¡Ben!',
  ],
  german: [
    'Am 3. Oktober bzw. am 24. Dezember ruht die Arbeit. ¦Das 125. Jubiläum war 1990. ¦Der 2. Weltkrieg endete.',
    'Ludwig XIV. regierte lange. ¦Siehe z. B. Kap. 3, S. 5 ff. ¦Dort steht es.',
    'Er sagte: „Komm!“ ¦Sie kam. ¦Der Dipl.-Ing. A. Groß wohnt Hauptstr. 5 in Ulm.',
    'Er kommt ca. 9 Uhr u. bringt Mio. Euro i. d. R. Gutes. ¦Und zwar am 3.5. oder 4. 5. 2024. ¦Sie weiß es nicht, usw. ¦Ende.',
    'Obst (Äpfel, Birnen usw.) Gemüse und Brot. ¦»Ja!« ¦Er ging. ¦Etwa 5 Std. Fahrt.',
  ],
  greek: [
    'Πού πας; ¦Στο σπίτι. ¦Ο κ. Παππάς ήρθε με τον Δρ. Νίκου.',
    'Φρούτα, π.χ. μήλα, κ.λπ. ¦Αυτά είναι. ¦Το 300 π.Χ. έζησε· πέθανε νέος.',
    '«Γιατί;» ρώτησε. ¦Δες https://a.gr/b;c=d τώρα. ¦Ναι.',
  ],
  hebrew: [
    'ד"ר כהן גר ברח׳ הרצל 5. ¦הוא עובד בצה"ל. ¦מה שלומך? ¦טוב!',
    'פרופ\' לוי אמר: "לא." ¦הוא הלך. ¦זה עולה 3.50 ש"ח. ¦ראה עמ\' 12. ¦א. ב. יהושע כתב.',
    'הייתה בע״מ. ¦אני קורא את example.com היום.',
  ],
  hindi: ['डॉ. राव और प्रो. सेन आए। ¦क्या?¦हाँ!', 'वे एस. के. सिंह हैं। ¦वह अच्छा है. ¦मैं ठीक हूँ. ¦दूरी 5 कि.मी. है।'],
  hungarian: [
    '2024. május 3. napján, a II. Rákóczi Ferenc u. 5. szám alatt találkozunk. ¦Jó lesz.',
    'Dr. Kiss és Sz. Nagy Éva, pl. holnap, jön. ¦Haza megy. ¦Vett kenyeret, tejet stb. ¦Aztán ment.',
    'A válasz egy. ¦Nem kettő. ¦– Jössz? – kérdezte. ¦Igen.',
  ],
  indonesian: ['Lihat hal. 5, dsb. ¦Itu ibu. ¦Pak Dr. Budi tinggal di Jl. Merdeka No. 5. ¦Dia baik.'],
  italian: [
    'Il sig. Rossi e la dott.ssa Bianchi, ad es., vivono in v.le Roma. ¦Sono qui.',
    'Comprò pane, latte, ecc. ¦Poi uscì. ¦La S. p. A. Rossi chiude. ¦Nel 50 a. C. Roma vinse.',
    'Non c’è. ¦Marco è fuori. ¦Vedi l’art. 5.',
  ],
  japanese: [
    '「行こう！」と彼は言った。¦雨だ！と叫んだ。¦とても寒い。',
    '価格は１，２００円（税込。送料別）です。¦URLはhttps://a.jp/?q=1です。¦本当?¦うん!',
    '『何？』を読む。¦「はい。」¦彼は笑った。',
  ],
  korean: [
    '안녕하세요. ¦네. ¦3.5점이에요. ¦2024. 5. 3. 금요일에 봐요. ¦정말요?¦네!',
    '그는 “간다.”라고 했다. ¦글쎄... 모르겠어요. ¦했다.¦그는 갔다.',
  ],
  malay: [
    'En. Ali dan Pn. Siti dari Syarikat Maju Sdn. Bhd. datang. ¦Beli roti, susu, dll. ¦Kemudian balik.',
  ],
  mandarin: [
    '他说：“好！”¦她走了。¦真的吗?¦真的.¦一共3.5元，１，０００人。',
    '《三国》和《为什么？》很好。¦（完。）¦Mr. Li来了。¦网址http://a.cn/?q=好。¦谢谢。',
  ],
  polish: [
    'Urodził się 3 maja 1990 r. w Łodzi. ¦Jego ojciec był inż. chemikiem.',
    'W 1920 r. Polska wygrała. ¦To było w XX w. ¦Wtedy żył prof. J. Nowak, tj. mój dziadek.',
    'Kupił chleb, mleko itp. ¦Potem wrócił. ¦Dałem im. ¦Oni wzięli. ¦— Idziesz? — zapytał. ¦Tak.',
    'Mieszka na 3. piętrze przy ul. Długiej, m. 5. ¦Blisko.',
  ],
  portuguese: [
    'O Sr. Dr. Costa mora na av. Brasil, n.º 5. ¦Há pão, leite, etc. ¦Depois vem.',
    'Não quero ter. ¦Maria quer. ¦D. Pedro I chegou. ¦— Vens? — perguntou ela. ¦Venho.',
  ],
  russian: [
    'В 1812 г. Наполеон вошёл в г. Москву. ¦Он ушёл в том же 1812 г. ¦Россия победила.',
    'Пьют чай, кофе и т. д. ¦Потом спят. ¦Я дал им. ¦Они ели рис. ¦Было 5 кг. ¦Мало.',
    '— Привет! — сказал он. ¦— Привет! ¦— Она улыбнулась. ¦См. стр. 5, т. е. начало.',
    'Ф. М. Достоевский жил в XIX в. на ул. Мира, д. 5. ¦Это он?.. ¦Да.',
  ],
  serbian: [
    'Рођен је 3. маја 1990. године у ул. Мира. ¦Др Пера, тј. мој отац, зна.',
    'Rođen je 3. maja 1990. godine, npr. u Nišu. ¦Bio je prof. dr. Jović. ¦Kupi hleb itd. ¦To je sve.',
    'Петар I. је владао. ¦Купи млеко, хлеб итд. ¦Онда дођи.',
  ],
  spanish: [
    '¿Vienes?¦¡Sí! ¦—¿Quién es? —preguntó. ¦El Sr. D. Luis vive en la avda. Sol, núm. 3. ¦Es tarde.',
    'En el 50 a. C. César ganó. ¦Los EE. UU. ¦¿Qué?',
    'Vive cerca del mar. ¦Juan no. ¦Compra pan, etc. ¦Luego ven. ¦Uds. no.',
  ],
  swedish: [
    'Det regnar. ¦”Kom!” ¦Han gick kl. 5 t.ex. till dr. Berg. ¦Hon är ung. ¦Bo har en bil. ¦God jul. ¦Anna bor här.',
    'Vi har bröd, mjölk m.m. ¦Sedan går vi. ¦Se s. 5 och bl.a. A. Berg. ¦År 50 f.Kr. dog han. ¦Boken är min. ¦Han sa så.',
  ],
  tagalog: [
    'Si G. Cruz at si Gng. Reyes, hal., ay dumating. ¦Bumili ng tinapay, gatas, atbp. ¦Umuwi siya sa Brgy. San Jose.',
  ],
  thai: [
    'สวัสดีครับ ¦ผมชื่อดร. สมชาย เกิดเมื่อ 5 ม.ค. พ.ศ. 2530 เวลา 10.30 น. ที่ จ. เชียงใหม่',
    'ไปไหนคะ ¦ไปตลาดค่ะ ¦จริงหรือ? ¦จริง!',
  ],
  turkish: [
    'Prof. Dr. Ayşe Kaya 3. katta oturuyor. ¦II. Dünya Savaşı bitti. ¦19. yüzyılda, M.Ö. 300 gibi değildi.',
    'Ekmek, süt vb. aldı. ¦Sonra eve gitti. ¦Öyle der. ¦Bkz. s. 5, Atatürk Cad. No. 12. ¦Evet.',
    'O zaman 2. Dünya Savaşı vardı. ¦Cevap 3. ¦Soru kolaydı.',
  ],
  ukrainian: [
    'У 1991 р. Україна стала вільною. ¦Він народився в м. Львів у 1990 р. ¦Мати була лікаркою.',
    'Купив хліб, сіль і т. д. ¦Потім пішов. ¦Т. Г. Шевченко жив на вул. Мира. ¦— Йдеш? — спитав він. ¦Йду.',
  ],
  urdu: [
    'ہاں جی۔ ¦وہ آئی۔ ¦اس نے ایم۔ بی۔ اے۔ کیا۔ ¦قیمت ۳۔۵ ہے۔ ¦کیوں؟¦بس۔',
    '۱۔ پہلا کام کرو۔ ¦وہ جی۔ ایم۔ سید تھے۔ ¦ٹھیک ہے۔',
  ],
  xhosa: [
    'UNjing. Mkhize noNksz. Dube bafikile. ¦uThemba ukhona. ¦Bathenge isonka, ubisi, njl. ¦Ewe, umz. namhlanje.',
  ],
};

const cut = (language: Language, text: string): string =>
  wholeTextSegments(text, { language, markup: 'keep' }).map(segmentText).join('¦');

describe('the rules of each language', () => {
  for (const [language, texts] of Object.entries(CASES) as [Language, string[]][])
    it.each(texts)(`${language}: %s`, (text) => {
      expect(cut(language, text.replaceAll('¦', ''))).toBe(text);
    });
});

describe('the lists', () => {
  it.each(LANGUAGES)('of %s hold words as they are looked up', (language) => {
    const { abbreviations, starters, ordinalHeads } = sentenceRulesOf(language);
    for (const word of abbreviations.keys()) {
      expect(word).not.toMatch(/\.$|\s|\$/);
      expect(word).toBe(word.normalize('NFC'));
    }
    // An entry that is no capitalised word would never be met.
    for (const word of [...starters, ...ordinalHeads]) expect(word).toMatch(/^\p{Lu}/u);
  });

  it('tells either case of a small entry, one case of a capital one, and the ends of compounds', () => {
    const rules = sentenceRules({ never: 'bl Fr', sometimes: '-str', usually: 'u.a' });
    expect(abbreviationKind(rules, 'bl')).toBe('never');
    expect(abbreviationKind(rules, 'Bl')).toBe('never');
    expect(abbreviationKind(rules, 'fr')).toBeUndefined();
    expect(abbreviationKind(rules, 'Hauptstr')).toBe('sometimes');
    expect(abbreviationKind(rules, 'strand')).toBeUndefined();
    expect([...rules.abbreviationParts]).toEqual(['u']);
  });
});
