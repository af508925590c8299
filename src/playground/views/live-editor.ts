// Text that is spoken while it is typed or pasted: hands on what is added, and puts back what has been sent already.

import { readLiveText } from '../live-text.ts';

export type LiveEditorOptions = {
  readonly area: HTMLTextAreaElement;
  readonly onAdded: (text: string) => void;
  readonly onUnsayable: () => void;
};

export type LiveEditor = {
  /** The turn is over: what is typed from now on belongs to a new one. */
  finish(): void;
};

export function createLiveEditor({ area, onAdded, onUnsayable }: LiveEditorOptions): LiveEditor {
  let sent = '';
  function read(): void {
    const found = readLiveText(sent, area.value);
    if (found.kind === 'added') {
      sent += found.text;
      onAdded(found.text);
    } else if (found.kind === 'unsayable') {
      area.value = sent;
      area.setSelectionRange(sent.length, sent.length);
      onUnsayable();
    }
  }
  // What is being composed (accents, Chinese, Japanese) is no text yet.
  area.addEventListener('input', (event) => {
    if (!(event as InputEvent).isComposing) read();
  });
  area.addEventListener('compositionend', read);
  return {
    finish() {
      sent = '';
      area.value = '';
    },
  };
}
