// Names and ids of voices that callers of other services have in their settings, and which voice of the embedded engine stands for
// each: by gender, and spread, so that two voices of one dialogue rarely become the same. Only names: the sound of those voices
// belongs to their owners.

/** The engine's voices by their short names; the engine knows their URIs. */
type EngineVoiceName =
  | 'anna'
  | 'bella'
  | 'clara'
  | 'dora'
  | 'elena'
  | 'adam'
  | 'bruno'
  | 'carl'
  | 'david'
  | 'emil';

const OPENAI: Readonly<Record<string, EngineVoiceName>> = {
  alloy: 'anna',
  ash: 'adam',
  ballad: 'david',
  cedar: 'emil',
  coral: 'bella',
  echo: 'bruno',
  fable: 'david',
  marin: 'elena',
  nova: 'bella',
  onyx: 'carl',
  sage: 'clara',
  shimmer: 'dora',
  verse: 'adam',
};

/** Default voices of ElevenLabs: name, public id. Adam and Bella are left to the engine's own of these names. */
const ELEVENLABS: readonly (readonly [name: string, id: string, voice: EngineVoiceName])[] = [
  ['Rachel', '21m00Tcm4TlvDq8ikWAM', 'anna'],
  ['Sarah', 'EXAVITQu4vr4xnSDxMaL', 'bella'],
  ['Domi', 'AZnzlk1XvdvUeBnXmlld', 'clara'],
  ['Elli', 'MF3mGyEYCl7XYWbV9V6O', 'dora'],
  ['Alice', 'Xb7hH8MSUJpSbSDYk0k2', 'elena'],
  ['Charlotte', 'XB0fDUnXU5powFXDhCwa', 'dora'],
  ['Jessica', 'cgSgspJ2msm6clMCkdW9', 'bella'],
  ['Laura', 'FGY2WhTYpPnrIDTdsKH5', 'anna'],
  ['Lily', 'pFZP5JQG7iQjIQuC4Bku', 'elena'],
  ['Matilda', 'XrExE9yKIg1WjnnlVkGX', 'clara'],
  ['Aria', '9BWtsMINqrJLrRacOk9x', 'anna'],
  ['Antoni', 'ErXwobaYiN019PkySvjV', 'adam'],
  ['Arnold', 'VR6AewLTigWG4xSOukaG', 'carl'],
  ['Josh', 'TxGEqnHWrfWFTfGW9XjX', 'bruno'],
  ['Sam', 'yoZ06aMxZJJ28mfd3POQ', 'emil'],
  ['Brian', 'nPczCjzI2devNBz1zQrb', 'bruno'],
  ['Callum', 'N2lVS1w4EtoT3dr4eOWO', 'carl'],
  ['Charlie', 'IKne3meq5aSn9XLyUdCD', 'david'],
  ['Chris', 'iP95p4xoKVk53GoZ742B', 'adam'],
  ['Daniel', 'onwK4e9ZLuTAKqWW03F9', 'emil'],
  ['Eric', 'cjVigY5qzO86Huf0OWal', 'adam'],
  ['George', 'JBFqnCBsd6RMkjVDRZzb', 'emil'],
  ['Liam', 'TX3LPaxmHKxFdv7VOQHJ', 'david'],
  ['Roger', 'CwhRBWXzGAHq8TQ4Fs17', 'bruno'],
  ['Will', 'bIHbv24MWmeRgasZH58o', 'david'],
];

const ELEVENLABS_ADAM_ID = 'pNInz6obpgDQGcFmaJgB';

/** Deepgram's English voices by the name between `aura-` or `aura-2-` and `-en`. */
const AURA: Readonly<Record<EngineVoiceName, readonly string[]>> = {
  anna: ['asteria', 'thalia', 'andromeda', 'delia', 'juno'],
  bella: ['luna', 'aurora', 'cora', 'iris', 'phoebe'],
  clara: ['hera', 'athena', 'minerva', 'vesta', 'harmonia'],
  dora: ['stella', 'amalthea', 'callista', 'ophelia', 'selene'],
  elena: ['helena', 'cordelia', 'electra', 'janus', 'pandora', 'theia'],
  adam: ['orion', 'apollo', 'atlas', 'jupiter', 'pluto'],
  bruno: ['arcas', 'perseus', 'neptune', 'saturn'],
  carl: ['zeus', 'angus', 'hyperion', 'mars'],
  david: ['helios', 'hermes', 'aries', 'draco'],
  emil: ['orpheus', 'odysseus'],
};
/** Deepgram's Flux voices by the name between `flux-` and `-en`. */
const FLUX: Readonly<Record<EngineVoiceName, readonly string[]>> = {
  anna: ['alexis', 'elise', 'meghan', 'sharon'],
  bella: ['hannah', 'bree', 'kelsey', 'priya'],
  clara: ['sienna', 'brittany', 'maeve', 'renee'],
  dora: ['brooke', 'gemma', 'meena'],
  elena: ['haley', 'heather', 'paige'],
  adam: ['cole', 'bruce', 'marcelo', 'wade'],
  bruno: ['miles', 'donovan', 'marcus', 'wes'],
  carl: ['cliff', 'conor', 'naveen', 'tanner'],
  david: ['kit', 'drew', 'kai', 'rufus'],
  emil: ['colin', 'jack', 'sean'],
};
const FIRST_AURA: ReadonlySet<string> = new Set([
  ...['asteria', 'luna', 'stella', 'athena', 'hera', 'orion', 'arcas', 'perseus'],
  ...['angus', 'orpheus', 'helios', 'zeus'],
]);

/** Ids that Cartesia's examples and the plugins for it begin with. */
const CARTESIA: Readonly<Record<string, EngineVoiceName>> = {
  '694f9389-aac1-45b6-b726-9d9369183238': 'anna',
  'f786b574-daa5-4673-aa0c-cbe3e8534c02': 'bella',
  '71a7ad14-091c-4e8e-a314-022ece01c121': 'elena',
  'a0e99841-438c-4a64-b679-ae501e7d6091': 'bruno',
  '228fca29-3a0a-435c-8728-5cb483251068': 'adam',
};

const modelsOf = (
  names: Readonly<Record<EngineVoiceName, readonly string[]>>,
  models: (name: string) => readonly string[],
): [string, EngineVoiceName][] =>
  (Object.entries(names) as [EngineVoiceName, readonly string[]][]).flatMap(([voice, own]) =>
    own.flatMap(models).map((model): [string, EngineVoiceName] => [model, voice]),
  );
const auraModels = (name: string): readonly string[] => [
  `aura-2-${name}-en`,
  ...(FIRST_AURA.has(name) ? [`aura-${name}-en`] : []),
];

/** ElevenLabs's names stand here with and without a capital; all others as their services write them. */
export const WELL_KNOWN_VOICES: Readonly<Record<string, EngineVoiceName>> = Object.fromEntries([
  ...ELEVENLABS.flatMap(([name, id, voice]) => [
    [name, voice] as const,
    [name.toLowerCase(), voice] as const,
    [id, voice] as const,
  ]),
  [ELEVENLABS_ADAM_ID, 'adam'] as const,
  ...modelsOf(AURA, auraModels),
  ...modelsOf(FLUX, (name) => [`flux-${name}-en`]),
  ...Object.entries(CARTESIA),
  ...Object.entries(OPENAI),
]);

/** What vendors themselves call their voices: OpenAI's names; ElevenLabs's ids by name, with and without a capital, and by id. */
export const WELL_KNOWN_NAMES: {
  readonly openai: ReadonlySet<string>;
  readonly elevenlabs: ReadonlyMap<string, string>;
} = {
  openai: new Set(Object.keys(OPENAI)),
  elevenlabs: new Map([
    ...ELEVENLABS.flatMap(([name, id]) => [
      [name, id] as const,
      [name.toLowerCase(), id] as const,
      [id, id] as const,
    ]),
    [ELEVENLABS_ADAM_ID, ELEVENLABS_ADAM_ID] as const,
  ]),
};
