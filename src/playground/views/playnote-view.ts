// Documents made into something to hear: the form, and what became of earlier ones, asked for while any is being made.

import type { ListedVoice } from '../../speech/listed-voice.ts';
import type { PlayNoteRecord } from '../../speech/service-records.ts';
import type { GatewayRest } from '../gateway-rest.ts';
import { firstOf, offerVoices } from './composer.ts';
import { pageElement } from './page-element.ts';
import { createPlayNoteItem, type PlayNoteItem, styleName } from './playnote-item.ts';

export type PlayNoteView = {
  /** The view is seen now. */
  enter(): void;
  offerVoices(voices: readonly ListedVoice[]): void;
};

const PATH = '/api/v1/playnotes';
const ASK_EVERY_MS = 1000;
const STYLES = ['podcast', 'executive-briefing', 'childrens-story', 'debate'] as const;

export function createPlayNoteView(rest: GatewayRest): PlayNoteView {
  const form = pageElement('note-form', HTMLFormElement);
  const file = pageElement('note-file', HTMLInputElement);
  const style = pageElement('note-style', HTMLSelectElement);
  const voice1 = pageElement('note-voice1', HTMLSelectElement);
  const voice2 = pageElement('note-voice2', HTMLSelectElement);
  const make = pageElement('note-make', HTMLButtonElement);
  const notice = pageElement('note-notice', HTMLElement);
  const list = pageElement('notes', HTMLUListElement);
  const items = new Map<string, PlayNoteItem>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let names = new Map<string, string>();
  style.append(...STYLES.map((name) => new Option(styleName(name), name)));

  const tell = (error: unknown) => {
    notice.textContent = error instanceof Error ? error.message : String(error);
  };

  function show(record: PlayNoteRecord, where: 'first' | 'last'): void {
    let item = items.get(record.id);
    if (item === undefined) {
      item = createPlayNoteItem();
      items.set(record.id, item);
      if (where === 'first') list.prepend(item.element);
      else list.append(item.element);
    }
    item.show(record);
  }

  async function ask(): Promise<void> {
    clearTimeout(timer);
    const records = await rest.json<PlayNoteRecord[]>(PATH);
    for (const record of records) show(record, 'last');
    if (records.some(({ status }) => status === 'generating'))
      timer = setTimeout(() => void ask().catch(tell), ASK_EVERY_MS);
  }

  async function create(): Promise<void> {
    const [source] = file.files ?? [];
    if (source === undefined) return;
    const body = new FormData();
    const fields = {
      synthesisStyle: style.value,
      voice1: voice1.value,
      voice1Name: names.get(voice1.value) ?? '',
      ...(voice2.value !== '' && { voice2: voice2.value, voice2Name: names.get(voice2.value) ?? '' }),
    };
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('sourceFile', source, source.name);
    make.disabled = true;
    notice.textContent = 'Sending the document';
    try {
      const record = await rest.json<PlayNoteRecord>(PATH, { method: 'POST', body });
      notice.textContent = '';
      form.reset();
      show(record, 'first');
      await ask();
    } catch (error) {
      tell(error);
    } finally {
      make.disabled = false;
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void create();
  });
  const drop = form.querySelector<HTMLElement>('.drop')!;
  // The field itself takes what is dropped on it; the frame around it does so, too.
  drop.addEventListener('dragover', (event) => {
    event.preventDefault();
    drop.dataset.over = '';
  });
  drop.addEventListener('dragleave', () => delete drop.dataset.over);
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    delete drop.dataset.over;
    if (event.dataTransfer !== null && event.dataTransfer.files.length > 0)
      file.files = event.dataTransfer.files;
  });

  return {
    enter: () => void ask().catch(tell),
    offerVoices(voices) {
      names = new Map(voices.map(({ id, name }) => [id, name ?? '']));
      for (const [select, gender] of [
        [voice1, 'Female'],
        [voice2, 'Male'],
      ] as const) {
        offerVoices(select, voices);
        for (const option of select.options)
          option.defaultSelected = option.value === firstOf(voices, gender);
      }
      const none = new Option('None', '');
      voice2.prepend(none);
      voice2.value = firstOf(voices, 'Male') ?? '';
    },
  };
}
