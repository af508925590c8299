// One turn's text on its way to speech and to the timing, as a live turn takes it: settings, script, request, words.

/** A listener who has heard nothing yet: a whole text goes at once. */
const remainingMs = () => 0;

/**
 * `whole` as a turn has it: `{kind: 'text', text}` or `{kind: 'dialogue', lines}`. Undefined when it is not exactly one
 * request. The script's timeline has the request's words, and nothing else yet; `outgoing` is what goes upstream.
 */
export async function openTurn(program, { whole, language, speed, voice, voice2, seed }) {
  const settings = program.applySettings(program.defaultSettings(200), {
    language,
    speed,
    voice,
    captions: 'words',
    ...(voice2 === undefined ? {} : { voice2 }),
  });
  const link = {
    synthesis: settings.synthesis,
    defaultVoice: undefined,
    defaultVoice2: undefined,
    maxText: undefined,
  };
  const options = { settings, seed, served: { now: () => link }, remainingMs };
  const script = new program.TurnScript(options, whole).stretch();
  const { signal } = new AbortController();
  const item = await script.requests.next(signal);
  if (item?.kind !== 'request' || (await script.requests.next(signal)) !== undefined) return undefined;
  const words = script.place(item.text, 0);
  const aligned = script.aligned(item.text, words);
  const { timeline } = script;
  return { timeline, words, aligned, outgoing: script.toRequest(item.text, link) };
}

/**
 * The true start of each word, ms, undefined where the synthesiser tells none. `told`: `{startMs, charStart, charEnd}`,
 * in the code points that `wordAt` counts; several words that are told as one have the time of the first.
 */
export function trueStarts(wordAt, told) {
  const startsMs = wordAt.map(() => undefined);
  let word = 0;
  for (const { startMs, charStart, charEnd } of told) {
    while (word < wordAt.length && wordAt[word] < charStart) word += 1;
    if (word < wordAt.length && wordAt[word] < charEnd) startsMs[word] = startMs;
  }
  return startsMs;
}
