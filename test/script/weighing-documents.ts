// Essays of our own that weigh their subject up, as people write them: some in two halves, some to and fro; and one that has an
// opinion here and there and weighs nothing.
import type { SourceDocument } from '../../src/script/source-document.ts';

const essay = (title: string, ...paragraphs: readonly string[]): SourceDocument => ({
  title,
  language: 'english',
  blocks: [
    { kind: 'heading', level: 1, text: title },
    ...paragraphs.map((text) => ({ kind: 'paragraph', text }) as const),
  ],
});

/** In two halves. */
export const nightTrains = essay(
  'Should the railway bring back its night trains?',
  'Until 2009 a sleeping car left our station every evening and reached the capital before breakfast. The railway took it away because too few berths were sold. Now a citizens’ group asks for it back, and the council has to answer.',
  'Those who want the train point to the hours that it gives back to a traveller. Somebody who sleeps on the rails loses no working day and pays for no hotel. The journey also spares the air, since a full sleeping car burns a tenth of the fuel that the same people would burn in an aircraft. Small towns on the line would profit as well, because a guest who arrives at seven buys breakfast there. Older passengers say that they travel more safely in a berth than on a night road. A regular service would help the hotels of the coast in the dull months of spring.',
  'The other side counts the money. A sleeping car carries thirty people where a day coach carries ninety, so each ticket is expensive or must be paid for by those who stay at home. The old carriages are worn out, and new ones would take six years to build. Freight runs at night, and every sleeping train takes the track away from eleven goods trains. Neighbours of the line complain about the noise of shunting at three in the morning. There is also a risk that the novelty wears off after one summer and the town is left with the debt.',
  'Between the two stands a trial of one winter with borrowed carriages. It would cost little, and it would show how many berths are really sold. The council will vote on it in March.',
);

/** To and fro. */
export const schoolGardens = essay(
  'School gardens',
  'A school garden looks like a small thing, and it takes more than a spade. Thirty schools of the county have dug one in the last ten years, and nine of these have grass on them again.',
  'Children who grow a bean learn patience from it. A teacher of biology can show roots, insects and decay without a film. On the other hand a bean keeps no timetable, and it is ripe in the weeks when nobody is at school. Watering in the holidays is the first difficulty that every school meets.',
  'A garden improves the meals of the kitchen, and pupils eat what they have grown themselves. Still, a bed of salad feeds a class for two days, and the hygiene rules make it a burden for the cook. Some kitchens have refused the harvest altogether.',
  'Pupils who fail at sums often succeed with a hoe, and their teachers see another side of them. That is the advantage that head teachers name first. The lesson lost for it is one of mathematics or of reading, and parents worry about both.',
  'Tools are cheap, and neighbours give plants for nothing. The hidden cost is the hour of a caretaker, which no budget has. When the caretaker leaves, the garden is in danger within a month.',
  'Schools that share the work with an allotment club have been successful for years. A garden without such a partner is a risk. It is wiser to begin with three boxes in the yard than with a field.',
);

/** Opinions here and there, and nothing weighed. */
export const saltRoad = essay(
  'The old salt road',
  'The salt road ran from the marshes to the cathedral town, a journey of four days with oxen. Its first mention is in a charter of 1190, which frees the monks from the toll. The surface was of rammed gravel between rows of oak posts, and parts of it can still be walked.',
  'Every tenth mile there was a yard with a well and a smith. The smith shod oxen in winter, when the frost made the gravel sharp. Inns grew around the yards, and two of the inns became villages. The village of Holm has a salt barrel in its coat of arms.',
  'Salt was packed in barrels of spruce that held about two hundred pounds. A convoy had eight wagons and a rider who went ahead to wake the toll keepers. The keepers wrote down each barrel, and their books are a useful source for historians. The books of the last toll house lie in the county archive.',
  'The road lost its traffic within ten years when the canal was opened. Wagons went on to carry grain to the mills until the railway came. Today walkers follow it in summer from yard to yard. A society mows the verges and sets up the posts that have fallen.',
  'The society has put up boards at the old wells. School classes count the posts and measure the ruts of the wheels. In August a wagon with oxen makes the whole journey again, and the last mile is walked with torches.',
);
