// What to say and how: the fields on the left of the page, read when they are needed.

import { LANGUAGES } from '../../speech/language.ts';
import type { ListedVoice } from '../../speech/listed-voice.ts';
import type { SpokenContent } from '../conversation.ts';
import {
  DELIVERIES,
  type DeliveryName,
  SOUNDS,
  type SoundName,
  type SpeakSettings,
} from '../speak-settings.ts';
import { createDialogueEditor } from './dialogue-editor.ts';
import { pageElement } from './page-element.ts';

export type ComposerMode = 'text' | 'dialogue' | 'live';

export type Composer = {
  readonly mode: ComposerMode;
  readonly settings: () => SpeakSettings;
  /** What stands there; undefined when nothing does, or when it is spoken while it is typed. */
  content(): SpokenContent | undefined;
  offerVoices(voices: readonly ListedVoice[]): void;
};

const TEXT = `Good evening. The last ferry leaves at a quarter to ten, from pier three.

It takes forty minutes to cross the bay. On a clear night you can see the lighthouse all the way, and the lights of the old town behind you.

Shall I keep two seats for you, by the window?`;
const DIALOGUE = [
  { speaker: 1, text: 'Hello! You have reached the harbour office. How can I help you?' },
  { speaker: 2, text: 'Hi. When does the last ferry leave tonight?' },
  { speaker: 1, text: 'At a quarter to ten, from pier three. Shall I keep two seats for you?' },
] as const;

const titled = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** `voices` by gender, as options of `select`. */
export function offerVoices(select: HTMLSelectElement, voices: readonly ListedVoice[]): void {
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const { id, name, gender = 'Voices' } of voices) {
    let group = groups.get(gender);
    if (group === undefined) {
      group = document.createElement('optgroup');
      group.label = gender;
      groups.set(gender, group);
    }
    group.append(new Option(name ?? id, id));
  }
  select.append(...groups.values());
}

export const firstOf = (voices: readonly ListedVoice[], gender: string): string | undefined =>
  (voices.find((voice) => voice.gender === gender) ?? voices[0])?.id;

export function createComposer(): Composer {
  const select = (id: string) => pageElement(id, HTMLSelectElement);
  const form = pageElement('composer', HTMLFormElement);
  const text = pageElement('text', HTMLTextAreaElement);
  const speed = pageElement('speed', HTMLInputElement);
  const speedShown = pageElement('speed-shown', HTMLOutputElement);
  const [voice, voice2, language, sound, delivery] = [
    select('voice'),
    select('voice2'),
    select('language'),
    select('sound'),
    select('delivery'),
  ];
  const dialogue = createDialogueEditor(pageElement('dialogue', HTMLOListElement));

  language.append(
    ...LANGUAGES.map((name) => new Option(titled(name), name, name === 'english', name === 'english')),
  );
  sound.append(...Object.entries(SOUNDS).map(([name, { label }]) => new Option(label, name)));
  delivery.append(...Object.entries(DELIVERIES).map(([name, { label }]) => new Option(label, name)));
  text.value = TEXT;
  for (const line of DIALOGUE) dialogue.add(line);

  const mode = () => new FormData(form).get('mode') as ComposerMode;
  function showMode(): void {
    for (const editor of form.querySelectorAll<HTMLElement>('.editor'))
      editor.hidden = editor.dataset.mode !== mode();
    pageElement('voice2-field', HTMLElement).hidden = mode() !== 'dialogue' || voice2.options.length === 0;
    pageElement('flush', HTMLElement).hidden = mode() !== 'live';
    pageElement('say-label', HTMLElement).textContent = mode() === 'live' ? 'End the turn' : 'Speak';
  }
  form.addEventListener('change', showMode);
  speed.addEventListener('input', () => {
    speedShown.textContent = `${Number(speed.value).toFixed(2)}×`;
  });
  pageElement('add-line', HTMLButtonElement).addEventListener('click', () => {
    const last = dialogue.lines().at(-1);
    dialogue.add({ speaker: last?.speaker === 1 ? 2 : 1, text: '' }).focus();
  });
  pageElement('voice-field', HTMLElement).hidden = true;
  showMode();

  return {
    get mode() {
      return mode();
    },
    settings: () => ({
      sound: sound.value as SoundName,
      delivery: delivery.value as DeliveryName,
      voice: voice.value === '' ? undefined : voice.value,
      voice2: voice2.value === '' ? undefined : voice2.value,
      language: language.value as SpeakSettings['language'],
      speed: Number(speed.value),
    }),
    content() {
      if (mode() === 'text') return text.value.trim() === '' ? undefined : { kind: 'text', text: text.value };
      const lines = mode() === 'dialogue' ? dialogue.lines() : [];
      return lines.length === 0 ? undefined : { kind: 'dialogue', lines };
    },
    offerVoices(voices) {
      for (const [field, gender] of [
        [voice, 'Female'],
        [voice2, 'Male'],
      ] as const) {
        offerVoices(field, voices);
        field.value = firstOf(voices, gender) ?? '';
      }
      pageElement('voice-field', HTMLElement).hidden = voices.length === 0;
      showMode();
    },
  };
}
