// Documents of our own for the tests of scripts: one with two sides (English), one with sections (German), one plain
// text (French), one in a script without spaces (Japanese).
import type { SourceBlock, SourceDocument } from '../../src/script/source-document.ts';

const h = (level: number, text: string): SourceBlock => ({ kind: 'heading', level, text });
const p = (text: string): SourceBlock => ({ kind: 'paragraph', text });
const i = (text: string): SourceBlock => ({ kind: 'item', text });

export const heatPumps: SourceDocument = {
  title: 'Heat pumps in old houses',
  language: 'english',
  blocks: [
    h(1, 'Heat pumps in old houses'),
    p(
      'A heat pump moves warmth from a cold place to a warm one. It works like a refrigerator turned inside out. For every unit of electricity, a good heat pump delivers about three units of heat. This is why engineers count heat pumps among the most efficient ways to warm a house (see chapter 3).',
    ),
    p(
      'Old houses were long thought to be unsuitable. However, field measurements in 56 older buildings found that most of them stayed warm through the winter. The result surprised many installers.',
    ),
    h(2, '1. How it works'),
    p(
      'A liquid with a very low boiling point runs through the outdoor unit. Even cold winter air is warm enough to make it evaporate. The compressor then squeezes the vapour, and squeezing makes it hot. Indoors the hot vapour gives its warmth to the heating water and becomes liquid again. Figure 2 shows the cycle in detail.',
    ),
    p(
      'The smaller the step between outside and inside, the less work the compressor has to do. Therefore large radiators and floor heating are a good match, because they need only lukewarm water.',
    ),
    h(2, '2. What speaks for them'),
    p(
      'The running costs of a heat pump are lower than those of an oil boiler in most regions. Families in the study saved about 40 percent of their heating costs. A heat pump also improves the air in town, since nothing is burned in the house. In summer some models can cool the rooms, which is a real benefit during heat waves.',
    ),
    p('Three advantages are named most often by owners:'),
    i('lower heating bills'),
    i('no smell of oil in the cellar'),
    i('a warm floor in winter'),
    h(2, '3. What speaks against them'),
    p(
      'The purchase is expensive. A complete system costs between 20,000 and 35,000 euros, although grants cover part of it. Installers are in short supply, and a badly planned system wastes electricity. Neighbours sometimes complain about the noise of the outdoor unit.',
    ),
    p(
      'In very cold regions the efficiency drops on the days when heat is needed most. An old house without any insulation remains a problem, for the radiators cannot deliver enough warmth at low temperatures. For example, a farmhouse from 1890 needed new windows before the heat pump could keep it warm.',
    ),
    h(2, '4. What owners can do first'),
    p(
      'The cheapest step is to lower the temperature of the heating water on a cold day. If the rooms stay warm at 55 degrees, the house is ready for a heat pump. Often it is enough to replace two or three small radiators. Insulating the top ceiling costs little and saves a lot of heat.',
    ),
    {
      kind: 'row',
      cells: [
        { name: 'Measure', value: 'New radiators' },
        { name: 'Cost', value: '2,500 euros' },
      ],
    },
    {
      kind: 'row',
      cells: [
        { name: 'Measure', value: 'Insulated ceiling' },
        { name: 'Cost', value: '4,000 euros' },
      ],
    },
    p(
      'Advice from an independent expert pays off in almost every case. The expert calculates the heat load of each room and chooses the size of the heat pump. A pump that is too large switches on and off all the time and fails early.',
    ),
  ],
};

export const beesInTown: SourceDocument = {
  title: undefined,
  language: 'german',
  blocks: [
    h(1, 'Bienen in der Stadt'),
    p(
      'In vielen Städten leben heute mehr Bienen als auf dem Land. Auf Dächern, in Parks und in Kleingärten stehen Tausende von Bienenstöcken. Die Imkerei ist für viele Menschen ein Hobby geworden.',
    ),
    h(2, 'Warum die Stadt den Bienen gefällt'),
    p(
      'In der Stadt blüht vom März bis in den Oktober immer etwas. Linden, Robinien und Kastanien liefern Nektar in großer Menge. Auf dem Land finden Bienen nach der Rapsblüte oft nichts mehr. Außerdem ist es in der Stadt um zwei bis drei Grad wärmer.',
    ),
    p(
      'In Parks und Gärten werden weniger Spritzmittel verwendet als auf Feldern. Das ist ein Vorteil für alle Insekten. Der Honig aus der Stadt schmeckt deshalb oft nach vielen Blüten zugleich.',
    ),
    h(2, 'Die Arbeit im Bienenstock'),
    p(
      'Ein Bienenvolk hat im Sommer etwa 40.000 Tiere. Die Königin legt bis zu 2.000 Eier am Tag (Abbildung 3). Junge Bienen putzen zuerst die Zellen. Später füttern sie die Larven und bauen Waben. Erst in den letzten Wochen ihres Lebens sammeln Bienen Nektar und Pollen.',
    ),
    p(
      'Eine Sammelbiene fliegt für ein Glas Honig sehr weit. Mit einem Tanz zeigt sie den anderen Bienen, wo die Blüten stehen. Richtung und Dauer des Tanzes verraten den Weg.',
    ),
    h(2, 'Probleme der Stadtimkerei'),
    p(
      'Wo zu viele Bienenstöcke stehen, wird das Futter knapp. Darunter leiden vor allem die Wildbienen, die nicht ausweichen können. Fachleute warnen deshalb vor immer neuen Völkern in der Innenstadt. Manche Anfänger unterschätzen die Arbeit und verlieren ihr Volk im ersten Winter.',
    ),
    p(
      'Die Varroamilbe bleibt die größte Gefahr für die Honigbiene. Ohne Behandlung stirbt ein Volk meist nach zwei bis drei Jahren. Ein Kurs beim Imkerverein hilft, die schlimmsten Fehler zu vermeiden.',
    ),
    h(2, 'Was jeder tun kann'),
    p(
      'Wer den Bienen helfen will, braucht keinen Bienenstock. Ein Balkon mit Kräutern und heimischen Blumen nützt Honigbienen und Wildbienen zugleich. Eine flache Schale mit Wasser und Steinen ist an heißen Tagen willkommen. Offene Stellen im Boden und hohle Stängel dienen den Wildbienen als Nest.',
    ),
  ],
};

export const oldMill: SourceDocument = {
  title: 'le_vieux_moulin.pdf',
  language: 'french',
  blocks: [
    p(
      "Le vieux moulin se trouve au bord de la rivière, à deux kilomètres du village. Il fut construit par un meunier et ses trois fils. Pendant plus d'un siècle, les paysans y ont apporté leur blé. La grande roue tournait jour et nuit quand la rivière était haute.",
    ),
    p(
      "Après la guerre, le moulin fut abandonné. Le toit s'effondra, et les arbres poussèrent entre les murs. Les enfants du village racontaient que la roue tournait encore la nuit. Personne ne voulait acheter cette ruine.",
    ),
    p(
      "Une association a décidé de sauver le moulin. Les bénévoles ont nettoyé la rivière et réparé les murs. La nouvelle roue produit aujourd'hui de l'électricité pour trente maisons. Cependant, les travaux ont coûté plus cher que prévu. Certains habitants craignent aussi le bruit de la roue.",
    ),
    p(
      "Chaque dimanche, l'association ouvre le moulin aux visiteurs. Un boulanger y cuit du pain avec la farine du moulin. Les visiteurs peuvent voir la roue, la meule et le vieux mécanisme de bois. L'argent des visites sert à entretenir le moulin et la rivière.",
    ),
  ],
};

export const foldingPaper: SourceDocument = {
  title: '折り紙の科学',
  language: 'japanese',
  blocks: [
    h(1, '折り紙の科学'),
    h(2, '遊びから技術へ'),
    p(
      '折り紙は一枚の紙を折って形を作る遊びです。昔は子どもの遊びと考えられていました。しかし、今では折り紙の研究が工学の一部になっています。研究者は折り紙の折り方を数学で説明します。',
    ),
    h(2, '宇宙での利用'),
    p(
      '人工衛星の太陽電池は、小さく折りたたんで打ち上げられます。宇宙に着くと、太陽電池は一度の動きで大きく開きます。この折り方は日本の研究者が考えました。軽くて丈夫なことが大きな利点です。',
    ),
    h(2, '医療での利用'),
    p(
      '医療では、細い管の中で開く器具が使われています。血管に入れるときは小さく、目的の場所で大きくなります。患者の負担が少ないので、手術のあとの回復が早くなります。ただし、器具の値段が高いという問題があります。',
    ),
    h(2, 'これからの課題'),
    p(
      '厚い材料は紙のように折ることができません。折り目が弱くなり、何度も開くと壊れる危険があります。研究者は新しい材料と新しい折り方を探しています。子どもの遊びから生まれた知恵が、未来の技術を支えます。',
    ),
  ],
};
