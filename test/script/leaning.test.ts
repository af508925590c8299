// For each language with a table: sentences that need the one before, and sentences that stand by themselves.
import { describe, expect, it } from 'vitest';
import { languageReaderOf } from '../../src/script/language-reader.ts';
import { leansOnBefore, pointsBack } from '../../src/script/leaning.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import { LANGUAGES, type Language } from '../../src/speech/language.ts';

type Cases = { readonly lean: readonly string[]; readonly stand: readonly string[] };

const CASES: Partial<Record<Language, Cases>> = {
  english: {
    lean: [
      'There may be many of these elements.',
      'The patterns defined in this file are used instead.',
      'It turns slowly every day.',
      'They reset their values at night.',
      'The former is much faster.',
      'Most people prefer the latter.',
      'Such a wheel costs little.',
      'A wheel of such size is rare.',
      'You can use it for a week.',
      'When using them, wear gloves.',
      'The second opens the door.',
      'Another is made of wood.',
      'The wheel is therefore painted every year.',
      'A copper roof is needed as well.',
      'The mill has a bell, too.',
      'Those wheels were sold.',
      'In that case the gate is closed.',
      'Otherwise the gate stays open.',
      'Then the gate opens.',
      'The miller does so every spring.',
      'The aforementioned gate was built in oak.',
      'The opposite happens in summer.',
      'Both were built in the same year.',
      'For this reason the miller sleeps late.',
      'The wheel also drives a saw.',
      'The gate was painted here.',
      'He sold the mill to a neighbour.',
      'But the mill was never sold.',
      'The carpenters had a joke that he was dead.',
      'Several other instruments are mentioned.',
      'On another occasion the gate was closed.',
      'There the miller keeps the flour.',
      'One played the flute.',
      'In the above example the gate is closed.',
      '“I am the voice of life.”',
      'At the beginning it was used for war.',
      'Early in the century it became a mill.',
      'The pines furnished them with shade.',
    ],
    stand: [
      'The wheel is very old.',
      'A mill needs a steady flow of water.',
      'Rivers such as the Rhine carry sand to the sea.',
      'Those who own a mill wake early.',
      'Instead of wood the builders used iron.',
      'The river carries its sand to the sea.',
      'Every miller knows that bread needs salt.',
      'This manual describes the mill.',
      'Water drives the wheel, and the wheel drives the stone.',
      'However hard the rain falls, the wheel turns.',
      'Two mills stood on the bank in 1890.',
      'The old miller Peter said that he would sell the mill.',
      'Too much water breaks the wheel.',
    ],
  },
  german: {
    lean: [
      'Diese Elemente gibt es mehrfach.',
      'Stattdessen wird Holz verwendet.',
      'Die Müller verwenden dieses Rad selten.',
      'Er verkaufte die Mühle.',
      'Letztere sind viel schneller.',
      'Man braucht dafür nur Wasser.',
      'Ein solches Rad kostet wenig.',
      'Deshalb schläft der Müller lange.',
      'Das Rad treibt außerdem eine Säge an.',
      'Die Mühle hat eine Glocke ebenfalls.',
      'Andernfalls bleibt das Tor offen.',
      'Beide wurden im selben Jahr gebaut.',
    ],
    stand: [
      'Das Rad ist sehr alt.',
      'Es gibt drei Mühlen am Fluss.',
      'Der Müller weiß, dass er früh aufstehen muss.',
      'Flüsse tragen Sand ins Meer.',
      'Eine Mühle braucht einen ruhigen Bach.',
      'Wer eine Mühle besitzt, steht früh auf.',
    ],
  },
  french: {
    lean: [
      'Ces éléments sont nombreux.',
      'Il tourne lentement chaque jour.',
      'On utilise cette roue en hiver.',
      'Celle-ci coûte moins cher.',
      'Ce dernier est plus rapide.',
      'La roue entraîne également une scie.',
      'Dans ce cas, la porte reste fermée.',
      'Les deux furent construits la même année.',
      'Le moulin est donc repeint chaque année.',
      'Elles ont été vendues hier.',
    ],
    stand: [
      'La roue est très ancienne.',
      'Un moulin a besoin d’une eau calme.',
      'Il faut trois hommes pour une roue.',
      'Des fleuves tels que le Rhin portent du sable.',
      'Le meunier sait qu’il doit se lever tôt.',
      'Ce qui coûte cher dure longtemps.',
    ],
  },
  spanish: {
    lean: [
      'Estos elementos son muchos.',
      'Ella vendió el molino.',
      'La rueda mueve también una sierra.',
      'Este último es más rápido.',
      'En su lugar se usa madera.',
      'Dicha rueda cuesta poco.',
      'Por eso el molinero duerme mucho.',
      'Ambos se construyeron en el mismo año.',
      'El dueño pintó esa puerta.',
      'De lo contrario la puerta queda abierta.',
    ],
    stand: [
      'La rueda es muy antigua.',
      'Un molino necesita agua tranquila.',
      'Ríos tales como el Rin llevan arena.',
      'El molinero sabe que debe levantarse temprano.',
      'Los ríos llevan arena al mar.',
      'Además de madera se usó hierro.',
    ],
  },
  italian: {
    lean: [
      'Questi elementi sono molti.',
      'Essa gira lentamente ogni giorno.',
      'La ruota muove anche una sega.',
      'Quest’ultimo è più veloce.',
      'Il mugnaio usa invece il legno.',
      'Tale ruota costa poco.',
      'Perciò il mugnaio dorme a lungo.',
      'Entrambi furono costruiti nello stesso anno.',
      'Il padrone dipinse quella porta.',
      'In questo caso la porta resta chiusa.',
    ],
    stand: [
      'La ruota è molto antica.',
      'Un mulino ha bisogno di acqua tranquilla.',
      'Invece di legno si usò ferro.',
      'I fiumi portano sabbia al mare.',
      'Il mugnaio sa che deve alzarsi presto.',
      'Quelli che hanno un mulino si alzano presto.',
    ],
  },
  portuguese: {
    lean: [
      'Estes elementos são muitos.',
      'Ela vendeu o moinho.',
      'A roda move também uma serra.',
      'Este último é mais rápido.',
      'Em vez disso usa-se madeira.',
      'O dono pintou essa porta.',
      'Por isso o moleiro dorme muito.',
      'Ambos foram construídos no mesmo ano.',
      'A porta é, portanto, fechada à noite.',
      'Caso contrário a porta fica aberta.',
    ],
    stand: [
      'A roda é muito antiga.',
      'Um moinho precisa de água calma.',
      'Rios tais como o Reno levam areia.',
      'O moleiro sabe que deve acordar cedo.',
      'Os rios levam areia para o mar.',
      'Aqueles que têm um moinho acordam cedo.',
    ],
  },
  dutch: {
    lean: [
      'Deze elementen zijn er veel.',
      'Hij verkocht de molen.',
      'Men gebruikt dergelijke raderen zelden.',
      'Laatstgenoemde is sneller.',
      'In plaats daarvan gebruikt men hout.',
      'Daarom slaapt de molenaar lang.',
      'Beide werden in hetzelfde jaar gebouwd.',
      'De molenaar verfde dit rad.',
      'Het rad drijft ook een zaag aan.',
      'In dat geval blijft de poort dicht.',
    ],
    stand: [
      'Het rad is erg oud.',
      'Een molen heeft rustig water nodig.',
      'De molenaar weet dat brood zout nodig heeft.',
      'Rivieren dragen zand naar de zee.',
      'Wie een molen bezit, staat vroeg op.',
      'De bouwers gebruikten ijzer en hout.',
    ],
  },
  swedish: {
    lean: [
      'Dessa delar är många.',
      'Hon sålde kvarnen.',
      'Hjulet driver också en såg.',
      'I stället används trä.',
      'Därför sover mjölnaren länge.',
      'Båda byggdes samma år.',
      'Ägaren målade detta hjul.',
      'En sådan kvarn kostar lite.',
      'Den senare är snabbare.',
      'I så fall hålls porten stängd.',
    ],
    stand: [
      'Hjulet är mycket gammalt.',
      'En kvarn behöver lugnt vatten.',
      'Mjölnaren vet att bröd behöver salt.',
      'Floder bär sand till havet.',
      'Det finns tre kvarnar vid floden.',
      'Byggarna använde järn och trä.',
    ],
  },
  polish: {
    lean: [
      'Te elementy są liczne.',
      'Ona sprzedała młyn.',
      'Młynarz lubi takie koła.',
      'Zamiast tego używa się drewna.',
      'Dlatego młynarz długo śpi.',
      'Oba zbudowano w tym samym roku.',
      'Właściciel pomalował tę bramę.',
      'Koło napędza również piłę.',
      'W takim przypadku brama jest zamknięta.',
      'W przeciwnym razie brama jest otwarta.',
    ],
    stand: [
      'Koło jest bardzo stare.',
      'Młyn potrzebuje spokojnej wody.',
      'Rzeki niosą piasek do morza.',
      'Młynarz wie, że musi wcześnie wstać.',
      'Rzeki takie jak Ren niosą piasek.',
      'Budowniczowie użyli żelaza i drewna.',
    ],
  },
  russian: {
    lean: [
      'Эти элементы многочисленны.',
      'Она продала мельницу.',
      'Мельник любит такие колёса.',
      'Вместо этого используют дерево.',
      'Поэтому мельник долго спит.',
      'Оба построили в одном году.',
      'Хозяин покрасил эту дверь.',
      'Колесо также вращает пилу.',
      'В этом случае дверь закрыта.',
      'В противном случае дверь открыта.',
    ],
    stand: [
      'Колесо очень старое.',
      'Мельнице нужна спокойная вода.',
      'Реки несут песок к морю.',
      'Каждый мельник знает, что он должен рано вставать.',
      'Реки, такие как Рейн, несут песок.',
      'Строители взяли железо и дерево.',
    ],
  },
  turkish: {
    lean: [
      'Bu parçalar çoktur.',
      'O değirmeni sattı.',
      'Değirmenci böyle çarkları sever.',
      'Bunun yerine odun kullanılır.',
      'Bu nedenle değirmenci uzun uyur.',
      'İkisi aynı yıl yapıldı.',
      'Sahibi bu kapıyı boyadı.',
      'Aksi halde kapı açık kalır.',
      'Bu durumda kapı kapalıdır.',
      'Böylece su yükselir.',
    ],
    stand: [
      'Çark çok eskidir.',
      'Bir değirmenin sakin suya ihtiyacı vardır.',
      'Nehirler denize kum taşır.',
      'Her değirmenci erken kalkması gerektiğini bilir.',
      'Ustalar demir ve odun kullandı.',
      'Değirmen 1890 yılında yapıldı.',
    ],
  },
  arabic: {
    lean: [
      'هذه العناصر كثيرة.',
      'هو باع الطاحونة.',
      'يحب الطحان مثل هذه العجلات.',
      'بدلا من ذلك يستخدم الخشب.',
      'لذلك ينام الطحان طويلا.',
      'وهذا يكلف كثيرا.',
      'طلى المالك ذلك الباب.',
      'في هذه الحالة يبقى الباب مغلقا.',
      'وإلا يبقى الباب مفتوحا.',
      'تدير العجلة منشارا أيضا.',
    ],
    stand: [
      'العجلة قديمة جدا.',
      'تحتاج الطاحونة إلى ماء هادئ.',
      'تحمل الأنهار الرمل إلى البحر.',
      'يعرف كل طحان أن الخبز يحتاج إلى الملح.',
      'استخدم البناؤون الحديد والخشب.',
      'الطاحونة بنيت عام 1890.',
    ],
  },
  hindi: {
    lean: [
      'ये तत्व बहुत हैं।',
      'वह चक्की बेच चुका है।',
      'चक्कीवाले को ऐसे पहिये पसंद हैं।',
      'इसके बजाय लकड़ी का उपयोग होता है।',
      'इसलिए चक्कीवाला देर तक सोता है।',
      'दोनों एक ही वर्ष में बने।',
      'मालिक ने यह दरवाज़ा रंगा।',
      'अन्यथा दरवाज़ा खुला रहता है।',
      'इस स्थिति में दरवाज़ा बंद रहता है।',
      'लेकिन चक्की कभी नहीं बिकी।',
    ],
    stand: [
      'पहिया बहुत पुराना है।',
      'चक्की को शांत पानी चाहिए।',
      'नदियाँ समुद्र तक रेत ले जाती हैं।',
      'हर चक्कीवाला जानता है कि रोटी को नमक चाहिए।',
      'कारीगरों ने लोहे और लकड़ी का उपयोग किया।',
      'चक्की 1890 में बनी।',
    ],
  },
  mandarin: {
    lean: [
      '这些零件很多。',
      '它每天慢慢地转。',
      '磨坊主喜欢这样的轮子。',
      '因此磨坊主睡得很久。',
      '两者在同一年建成。',
      '后者更快。',
      '主人刷了那个门。',
      '否则门一直开着。',
      '在这种情况下门关着。',
      '但是磨坊从来没有卖掉。',
    ],
    stand: [
      '轮子非常古老。',
      '磨坊需要平静的水。',
      '河流把沙子带到大海。',
      '每个磨坊主都知道面包需要盐。',
      '工匠使用铁和木头。',
      '都市里没有磨坊。',
    ],
  },
  japanese: {
    lean: [
      'これらの部品は多い。',
      'それは毎日ゆっくり回ります。',
      '粉屋はこのような輪が好きです。',
      'そのため粉屋は長く眠ります。',
      '後者のほうが速いです。',
      '代わりに木を使います。',
      '主人はその扉を塗りました。',
      'しかし水車は売られませんでした。',
      '両者は同じ年に建てられました。',
      '水車も同様です。',
    ],
    stand: [
      '輪はとても古い。',
      '水車には静かな水が必要です。',
      '川は砂を海まで運びます。',
      '職人は鉄と木を使いました。',
      '水車は1890年に建てられました。',
      'それぞれの村に水車がありました。',
    ],
  },
  korean: {
    lean: [
      '이 부품들은 많다.',
      '그것은 매일 천천히 돈다.',
      '방앗간 주인은 이러한 바퀴를 좋아한다.',
      '그래서 주인은 오래 잔다.',
      '후자가 더 빠르다.',
      '그 대신 나무를 쓴다.',
      '주인은 그 문을 칠했다.',
      '하지만 방앗간은 팔리지 않았다.',
      '이 경우 문은 닫혀 있다.',
      '물레방아도 마찬가지다.',
    ],
    stand: [
      '바퀴는 아주 오래되었다.',
      '방앗간에는 잔잔한 물이 필요하다.',
      '강은 모래를 바다로 나른다.',
      '목수들은 쇠와 나무를 썼다.',
      '방앗간은 1890년에 지어졌다.',
      '모든 마을에 방앗간이 있었다.',
    ],
  },
};

const withTable = LANGUAGES.filter((language) => scriptLanguageOf(language) !== undefined);
const leans = (sentence: string, language: Language) =>
  leansOnBefore(sentence, languageReaderOf(scriptLanguageOf(language)?.cues));

describe('a sentence that leans on the one before', () => {
  it('is known in every language that scripts have words for', () => {
    expect(Object.keys(CASES).sort()).toEqual([...withTable].sort());
  });

  describe.each(withTable)('in %s', (language) => {
    const { lean, stand } = CASES[language]!;
    it.each(lean)('%s', (sentence) => expect(leans(sentence, language)).toBe(true));
    it.each(stand)('and not: %s', (sentence) => expect(leans(sentence, language)).toBe(false));
  });

  it('is not known where a language has no words', () => {
    expect(leans('Le nto iyajika.', 'xhosa')).toBe(false);
  });

  it('is found in a time in proportion to the text', () => {
    for (const text of ['instead of '.repeat(20_000), `too${'!'.repeat(100_000)}x`, 'it '.repeat(50_000)])
      expect(typeof leans(text, 'english')).toBe('boolean');
  });
});

describe('a sentence behind another one of its paragraph', () => {
  const pointing = (sentence: string, language: Language, ...known: string[]) =>
    pointsBack(sentence, languageReaderOf(scriptLanguageOf(language)?.cues), (stem) => known.includes(stem));

  it.each<[Language, string]>([
    ['english', 'The wheel turns slowly.'],
    ['english', 'Rivers carry their sand to the sea.'],
    ['german', 'Das Rad dreht sich langsam.'],
    ['french', 'La roue tourne lentement.'],
    ['french', 'L’eau monte chaque nuit.'],
    ['spanish', 'La rueda gira despacio.'],
    ['italian', 'L’acqua sale ogni notte.'],
    ['portuguese', 'A roda gira devagar.'],
    ['dutch', 'Het rad draait langzaam.'],
  ])('points back with a definite noun or a pronoun, in %s: %s', (language, sentence) =>
    expect(pointing(sentence, language)).toBe(true),
  );

  it('does not where the noun is what the whole text is about, or is new', () => {
    expect(pointing('The wheel turns slowly.', 'english', 'wheel')).toBe(false);
    expect(pointing('A wheel turns slowly.', 'english')).toBe(false);
    expect(pointing('Колесо вращается медленно.', 'russian')).toBe(false);
  });
});
