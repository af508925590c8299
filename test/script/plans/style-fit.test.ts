// Which sources make a children's story: texts in short plain sentences, and texts that tell of persons however long their
// sentences are; no essays, papers, manuals or specifications.
import { describe, expect, it } from 'vitest';
import type { SourceBlock, SourceDocument } from '../../../src/script/source-document.ts';
import { writeScript } from '../../../src/script/write-script.ts';
import { cutSentences } from '../../../src/service/playnotes/sentence-cutter.ts';
import type { Language } from '../../../src/speech/language.ts';
import { readFixture } from '../../reading/read-fixture.ts';
import { heatPumps } from '../sample-documents.ts';

const p = (text: string): SourceBlock => ({ kind: 'paragraph', text });
const text = (title: string, language: Language, ...paragraphs: string[]): SourceDocument => ({
  title,
  language,
  blocks: paragraphs.map(p),
});
const storyOf = (document: SourceDocument) =>
  writeScript(
    document,
    {
      style: 'childrens-story',
      speakers: { name1: 'Ada', name2: 'Ben', voices: 2 },
      language: document.language ?? 'english',
      seed: 1,
    },
    cutSentences,
  );
const outcome = (document: SourceDocument) => {
  const made = storyOf(document);
  return 'refused' in made ? made.refused : 'told';
};

/** In the long sentences of old tales. */
const TALES: readonly SourceDocument[] = [
  text(
    'The lamp on the hill',
    'english',
    'Martha had climbed the hill behind the harbour every evening since her father went to sea, and every evening she lit the small lamp that he had left her on the window sill of the empty tower.',
    'One night, when the wind blew so hard that she could hardly hold the door, she found an old sailor asleep on the stairs, who opened one eye, looked at her for a while and said that he had seen her light from the other side of the bay.',
    '“Nobody has ever seen it,” Martha said, because she had been told so by everybody in the village, and she sat down beside him and asked whether he had seen her father as well, out there among the black rocks.',
    'He laughed, pulled a wet letter out of his coat and told her that her father had given it to him a year ago, when they had met in a harbour so far away that the stars stood upside down over the houses.',
    'She read it aloud by the light of the lamp while the sailor dried his boots, and when she had come to the end she read it once more, for her father wrote that he would be home before the snow if only she kept the lamp burning.',
    'So she carried more oil up the hill than ever before, and on the first cold morning of the winter she saw a sail behind the rocks, and her father stood at the bow and waved his hat until he nearly fell into the water.',
  ),
  text(
    'Der Müller und der Bär',
    'german',
    'Als der alte Müller an einem kalten Morgen die Tür seiner Mühle öffnete, saß vor ihm im Schnee ein kleiner Bär, der so jämmerlich fror, dass er nicht einmal mehr brummen konnte, und sah ihn mit großen Augen an.',
    'Der Müller kratzte sich am Kopf, nahm ihn auf den Arm, trug ihn an den Ofen und sagte zu seiner Frau, dass sie nun wohl für einen mehr kochen müsse, bis der Frühling den Schnee von den Bergen geholt habe.',
    'Sie fragte ihn, ob er den Verstand verloren habe, aber sie stellte ihm doch eine Schüssel mit warmer Milch hin, und er trank sie so schnell aus, dass ihm die Tropfen noch lange am Fell hingen und sie lachen musste.',
    'Von da an half er ihm bei der Arbeit, drehte das Rad, wenn der Bach gefroren war, und trug ihm die schweren Säcke in den Keller, und wenn jemand fragte, wer der neue Knecht sei, antwortete der Müller, dass er aus den Bergen komme.',
    'Im Frühling stand er lange vor der Tür und sah zu den Bergen hinüber, und der Müller sagte leise, dass er gehen dürfe, und seine Frau gab ihm einen Topf mit Honig mit auf den Weg, den er vorsichtig zwischen den Pfoten trug.',
  ),
  text(
    'La fille du meunier',
    'french',
    'Il y avait au bord de la rivière une petite fille qui parlait aux poissons, et elle leur racontait chaque soir tout ce qu’elle avait vu au village, sans jamais oublier le chien du boulanger qui dormait devant sa porte.',
    'Un soir d’hiver elle trouva un poisson d’argent pris dans la glace, et elle lui dit de ne pas avoir peur, puis elle souffla si longtemps sur la glace qu’elle finit par avoir les joues toutes rouges.',
    'Le poisson la regarda, ouvrit la bouche et lui répondit qu’il était le roi de la rivière, et qu’elle pouvait lui demander ce qu’elle voulait, pourvu que ce ne fût ni de l’or ni un château, car il n’en avait pas.',
    'Elle pensa à son père, qui toussait depuis l’automne, et lui demanda une herbe qui le guérirait, et le poisson descendit au fond de la rivière et revint avec une herbe verte qu’il lui posa dans la main.',
    'Son père but la tisane qu’elle lui prépara, il dormit deux jours, et quand il se leva il demanda qui l’avait guéri, mais elle lui dit seulement qu’elle avait un ami qui n’aimait pas le bruit.',
  ),
];

const DRY: Readonly<Record<string, SourceDocument>> = {
  'a specification': text(
    'The lamp message format',
    'english',
    'A lamp message consists of a header of four bytes and a body whose length in bytes is given by the second field of the header. The client must send the header before it sends the first byte of the body.',
    'The server must reject a message whose header has an unknown version. Implementations should not assume that a packet holds exactly one message. The interface returns an error code where the format of the body is not known.',
    'Each option of the configuration file has a default. A parameter without a value is ignored by the server. The protocol defines three functions and two commands for the client.',
  ),
  'a manual': text(
    'Using the mill program',
    'english',
    'The program reads its configuration file when it starts, and it writes its output to the directory that the first argument names. The default directory is the one in which the user has started the program.',
    'An option without an argument switches a function on. Users may set variables in a second configuration file, which the program reads behind the first. The database must be updated by a command of its own.',
    'The server keeps a file for each client. A client that sends no data is removed from the database after an hour. The format of the files is described by the schema of the library.',
  ),
  'an essay': text(
    'On walking slowly',
    'english',
    'There is a pleasure in walking slowly which those who hurry from one appointment to the next have never known, and which the philosophers of antiquity, who taught as they walked, considered a condition of all clear thought.',
    'Civilisation has given us carriages and railways, and with them the illusion that distance is nothing but an obstacle between two places, although every traveller remembers the road far better than the station at its end.',
    'The landscape that is crossed on foot becomes a possession of the mind, for nothing is possessed that has not been looked at with patience, and patience is the one thing which no machine has ever succeeded in manufacturing.',
    'Whoever walks without purpose through a wood in the early morning will discover that thoughts which had been sought in vain for weeks arrive by themselves, as guests who come when they are no longer expected.',
  ),
};

describe('a children’s story', () => {
  it.each(TALES.map((tale) => [tale.title, tale] as const))(
    'is told of a tale in long sentences: %s',
    (_title, tale) => {
      const made = storyOf(tale);
      expect('refused' in made ? made.refused : 'told').toBe('told');
      if ('refused' in made) return;
      const told = made.chapters.flatMap(({ lines }) => lines.flatMap(({ sources }) => sources));
      // From its beginning, and nearly whole.
      expect(told[0]).toBe(0);
      expect(told.length).toBeGreaterThanOrEqual(tale.blocks.length - 2);
    },
  );

  it.each(['brot.docx', 'tides.html', 'watt.html'])(
    'is made of a text for everybody in short sentences: %s',
    async (name) => {
      expect(outcome(await readFixture(name))).toBe('told');
    },
  );

  it.each(Object.entries(DRY))('is not made of %s', (kind, document) => {
    expect(outcome(document)).toBe(kind === 'an essay' ? 'long-for-children' : 'technical-for-children');
  });

  it('is made of a text without persons where its sentences are short', () => {
    expect(outcome(heatPumps)).toBe('told');
  });
});
