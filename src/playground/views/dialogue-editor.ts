// The lines of a dialogue: who says what, as many as wanted.

import { madeElement } from './page-element.ts';

export type DialogueLine = { readonly speaker: 1 | 2; readonly text: string };

export type DialogueEditor = {
  /** Lines that say something. */
  lines(): readonly DialogueLine[];
  add(line: DialogueLine): HTMLTextAreaElement;
};

export function createDialogueEditor(list: HTMLOListElement): DialogueEditor {
  const items = () => [...list.querySelectorAll('li')];
  const speakerOf = (item: Element) => (item.querySelector('select')!.value === '2' ? 2 : 1);

  function number(): void {
    for (const [at, item] of items().entries()) {
      item.querySelector('select')!.setAttribute('aria-label', `Speaker of line ${at + 1}`);
      item.querySelector('textarea')!.setAttribute('aria-label', `Line ${at + 1}`);
      item.querySelector('button')!.setAttribute('aria-label', `Remove line ${at + 1}`);
    }
  }

  return {
    lines: () =>
      items()
        .map((item) => ({ speaker: speakerOf(item) as 1 | 2, text: item.querySelector('textarea')!.value }))
        .filter(({ text }) => text.trim() !== ''),
    add({ speaker, text }) {
      const item = madeElement('li');
      const who = madeElement('select');
      who.append(new Option('A', '1'), new Option('B', '2'));
      who.value = String(speaker);
      const said = madeElement('textarea');
      said.rows = 1;
      said.value = text;
      const remove = madeElement('button', { className: 'quiet', text: '×' });
      remove.type = 'button';
      remove.addEventListener('click', () => {
        const next = item.nextElementSibling ?? item.previousElementSibling;
        item.remove();
        number();
        (
          next?.querySelector('textarea') ?? list.parentElement?.querySelector<HTMLElement>(':scope > button')
        )?.focus();
      });
      item.append(who, said, remove);
      list.append(item);
      number();
      return said;
    },
  };
}
