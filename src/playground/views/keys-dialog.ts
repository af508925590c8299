// Asks once for the user id and the key that the gateway wants, and keeps asking until they are the right ones.

import type { GatewayRest } from '../gateway-rest.ts';
import { pageElement } from './page-element.ts';

/** Resolves when the gateway has taken them. */
export function askForKeys(rest: GatewayRest): Promise<void> {
  const dialog = pageElement('keys', HTMLDialogElement);
  const form = pageElement('keys-form', HTMLFormElement);
  const notice = pageElement('keys-notice', HTMLElement);
  const [userId, key] = [pageElement('user-id', HTMLInputElement), pageElement('api-key', HTMLInputElement)];
  // Nothing behind it works without them.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  dialog.showModal();
  return new Promise((resolve) => {
    async function tryThem(): Promise<void> {
      rest.use({ userId: userId.value, key: key.value });
      try {
        await rest.protocols();
        key.value = '';
        dialog.close();
        resolve();
      } catch (error) {
        notice.textContent = error instanceof Error ? error.message : String(error);
        key.select();
      }
    }
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void tryThem();
    });
  });
}
