// Words before which a line of captions may break without harm: conjunctions, prepositions and what opens a clause. They may
// stand in one set, whatever language a text is in: a word that means something else elsewhere moves a break by a word. The
// word behind a break is never one of these alone: an article or a preposition belongs to what follows.

const OPENERS: Readonly<Record<string, string>> = {
  english:
    'and or but nor because although though while when where whether if unless until since that which who whose as than ' +
    'of in on at to for from with without by about after before between during into over through under within against',
  german:
    'und oder aber denn sondern weil dass wenn ob als während obwohl damit bevor nachdem der die das mit ohne von vom für ' +
    'aus auf in im an am bei zu zum zur nach vor über unter durch gegen zwischen bis seit um',
  french:
    'et ou mais donc car ni que qui dont où quand lorsque comme si puisque parce de du des à au aux dans en sur sous par pour ' +
    'avec sans chez entre vers depuis pendant',
  spanish:
    'y e o u pero sino porque que quien cuando donde como si aunque mientras de del en al con sin por para sobre entre ' +
    'desde hasta hacia según',
  portuguese:
    'e ou mas porém porque que quem quando onde como se embora enquanto de do da dos das em no na nos nas ao à com sem por ' +
    'para pelo pela sobre entre desde até',
  italian:
    'e ed o ma però perché che chi quando dove come se mentre di del della dei delle in nel nella al alla con senza per da ' +
    'dal dalla su sul sulla tra fra',
  dutch:
    'en of maar want omdat dat die wanneer waar als terwijl hoewel met zonder van voor uit op in aan bij naar door over onder tussen',
  polish:
    'i lub albo ale bo że który która które gdy kiedy gdzie jak jeśli w we z ze na do od dla po przy przez bez nad pod',
  russian:
    'и а или но что чтобы который которая которые когда где как если потому в во на с со к ко от до из у о об по при за ' +
    'для без над под через между',
  turkish: 've veya ya ama fakat çünkü ki ile için gibi kadar',
  arabic: 'و أو لكن لأن أن التي الذي في من إلى على عن مع بين بعد قبل',
  hindi: 'और या लेकिन क्योंकि कि जो जब जहाँ अगर',
};

const ARTICLES =
  'the a an der die das den dem des ein eine einen le la les un une el los las o os as il lo gli het een';

const openers = new Set(Object.values(OPENERS).flatMap((words) => words.split(' ')));
const articles = new Set(ARTICLES.split(' '));

/** With the signs around it; what is longer is none of these, and would take time with the square of its length. */
const MAX_OPENER_CHARS = 64;

const bare = (word: string): string =>
  word.length > MAX_OPENER_CHARS ? '' : word.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}\p{M}]+$/gu, '');

/** A clause or a phrase may begin with it. */
export const opensClause = (word: string): boolean => openers.has(bare(word));

/** It belongs to the word behind it: nothing is read at a glance that ends with it. */
export const needsNext = (word: string): boolean => {
  const letters = bare(word);
  return openers.has(letters) || articles.has(letters);
};
