// Asks before something is done that cannot be undone. The browser's own dialog keeps the keyboard inside and gives it back
// to where it was; Escape, and the button that has the focus at first, leave everything as it is.

import { pageElement } from './page-element.ts';

export type Question = {
  readonly title: string;
  readonly text: string;
  /** What the button says that does it. */
  readonly action: string;
};

/** One question at a time; a further one waits for nothing and is not asked. */
export function confirmFirst({ title, text, action }: Question): Promise<'confirmed' | 'left'> {
  const dialog = pageElement('confirm', HTMLDialogElement);
  if (dialog.open) return Promise.resolve('left');
  pageElement('confirm-title', HTMLElement).textContent = title;
  pageElement('confirm-text', HTMLElement).textContent = text;
  const button = pageElement('confirm-action', HTMLButtonElement);
  button.textContent = action;
  dialog.returnValue = '';
  dialog.showModal();
  pageElement('confirm-leave', HTMLButtonElement).focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'do' ? 'confirmed' : 'left'), {
      once: true,
    });
  });
}
