// What trials of failing speech services say and how their services fail, for `startBreakingService` of test/support/breaking-service.ts.

/** Of words each of which the program tells: none for which something else is said, none that it tells together with the next ("to the"). */
export const TEXTS = [
  'Good evening, and welcome back. The last train leaves our harbour within ten minutes, so please wait here.',
  'We have found your order inside our northern store. It will be with you tomorrow morning, unless the river rises again.',
  'Please hold the line while I look for your name. Three people wait before you, and each one takes some time.',
  'The garden behind the house was quiet that summer. Nobody came, and the old gate stayed shut until the autumn winds.',
];
/** The last words name a turn, and a rest of its text keeps them. */
const NAMES = ['amber', 'birch', 'cedar', 'daisy', 'elder', 'fern', 'ginger', 'hazel', 'iris', 'juniper'];
export const nameOf = (n) => [...String(n)].map((digit) => NAMES[Number(digit)]).join(' ');
export const textOf = (n) => `${TEXTS[n % TEXTS.length]} This was ${nameOf(n)}.`;
export const nameIn = (text) => /This was (.*)\.$/.exec(text)?.[1];

/** A service of a gateway's settings. */
export const asUpstream = (name, { url }) => ({
  kind: 'speech-service',
  name,
  url: url.origin,
  keys: [`me:secret-${name}@100000`],
});

/**
 * Two services that speak by `voices`, `times` faster than it is heard: the first does with a turn what `manners` has for its name, the second
 * always speaks. Throws when the program does not tell each word of TEXTS; they have been spoken then, as a first speech takes longest.
 */
export async function openPair({ voices, startBreakingService, times, voice }) {
  const manners = new Map();
  const speaks = { does: 'speaks' };
  const pace = { firstByteMs: 60, times };
  const manner = (_n, text) => manners.get(nameIn(text)) ?? speaks;
  const first = await startBreakingService(voices, { manner, ...pace });
  const second = await startBreakingService(voices, { manner: () => speaks, ...pace });
  for (const text of TEXTS) {
    const { truth } = await voices.say({ model: 'VoxDialog', text, voice });
    if (truth().words.length !== text.split(' ').length)
      throw new Error(`Not every word is told of: ${text}`);
  }
  return { first, second, manners };
}

/** By name, what a service does; `draw`: random numbers from 0 to 1. */
export function waysOfFailing(draw) {
  const between = (from, to) => from + (to - from) * draw();
  /** Before, at (within its first word) and after first audio. */
  const at = () => between(30, 250);
  const after = () => between(700, 5_000);
  return {
    'before: connection reset': () => ({ does: 'resets' }),
    'before: connection closed': () => ({ does: 'leaves' }),
    'before: 500': () => ({ does: 'answers', status: 500 }),
    'before: 503': () => ({ does: 'answers', status: 503 }),
    'before: 401 quota': () => ({
      does: 'answers',
      status: 401,
      body: '{"detail":{"status":"quota_exceeded"}}',
    }),
    'before: 403': () => ({ does: 'answers', status: 403 }),
    'before: 429': () => ({ does: 'answers', status: 429 }),
    'before: slow 429': () => ({ does: 'answers', status: 429, afterMs: 3_000 }),
    'before: a page': () => ({ does: 'sends-page' }),
    'before: no bytes': () => ({ does: 'sends-nothing' }),
    'before: no answer': () => ({ does: 'hangs' }),
    'before: a head alone': () => ({ does: 'sends-head' }),
    'before: silence': () => ({ does: 'turns', fromMs: 0, toneHz: 0 }),
    'before: a tone': () => ({ does: 'turns', fromMs: 0, toneHz: 440 }),
    'before: garbage': () => ({ does: 'breaks', fromMs: 0, by: 'garbage' }),
    'at: reset': () => ({ does: 'breaks', fromMs: at(), by: 'reset' }),
    'at: closed': () => ({ does: 'breaks', fromMs: at(), by: 'leave' }),
    'at: stalls': () => ({ does: 'breaks', fromMs: at(), by: 'stall' }),
    'at: garbage': () => ({ does: 'breaks', fromMs: at(), by: 'garbage' }),
    'at: silence': () => ({ does: 'turns', fromMs: at(), toneHz: 0 }),
    'after: reset': () => ({ does: 'breaks', fromMs: after(), by: 'reset' }),
    'after: closed': () => ({ does: 'breaks', fromMs: after(), by: 'leave' }),
    'after: stalls': () => ({ does: 'breaks', fromMs: after(), by: 'stall' }),
    'after: drips': () => ({ does: 'breaks', fromMs: after(), by: 'drip' }),
    'after: garbage': () => ({ does: 'breaks', fromMs: after(), by: 'garbage' }),
    'after: silence': () => ({ does: 'turns', fromMs: after(), toneHz: 0 }),
    'after: a tone': () => ({ does: 'turns', fromMs: after(), toneHz: 440 }),
    'after: ends early': () => ({ does: 'breaks', fromMs: after(), by: 'end' }),
  };
}
