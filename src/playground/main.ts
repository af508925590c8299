// The playground: puts its parts together. What it can do is what the gateway says that it has.

import type { ListedVoice } from '../speech/listed-voice.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { readGatewayOffer } from './gateway-offer.ts';
import { createGatewayRest } from './gateway-rest.ts';
import { type PoolKey, quotaLeft } from './quota-left.ts';
import { createComposer } from './views/composer.ts';
import { askForKeys } from './views/keys-dialog.ts';
import { createLiveEditor } from './views/live-editor.ts';
import { createOperatorView } from './views/operator-view.ts';
import { pageElement } from './views/page-element.ts';
import { followPageViews, type ViewName } from './views/page-views.ts';
import { createPlayNoteView } from './views/playnote-view.ts';
import { createStage } from './views/stage.ts';

const CONNECTIONS = { off: 'Not connected', opening: 'Connecting', open: 'Connected' };
const NOTICE_MS = 8000;

const offer = readGatewayOffer(
  document.querySelector<HTMLMetaElement>('meta[name="voxgate-gateway"]')?.content ?? '',
);
const rest = createGatewayRest(offer.wants);
const notice = pageElement('notice', HTMLElement);
const toldElement = pageElement('told', HTMLElement);
const composer = createComposer();
let noticeTimer: ReturnType<typeof setTimeout> | undefined;

function showNotice(text: string | undefined): void {
  clearTimeout(noticeTimer);
  notice.textContent = text ?? '';
  noticeTimer = setTimeout(() => showNotice(undefined), NOTICE_MS);
}
const tell = (text: string) => {
  toldElement.textContent = text;
};

async function showQuota(): Promise<void> {
  if (!offer.has('pool') || offer.wants === 'keys') return;
  const { keys } = await rest.json<{ keys: readonly PoolKey[] }>('/v1/pool');
  stage.turnView.showQuota(quotaLeft(keys));
}

const live = createLiveEditor({
  area: pageElement('live', HTMLTextAreaElement),
  onAdded: (text) => void conversation.append(text),
  onUnsayable() {
    showNotice('What has been sent stays said: it was put back.');
  },
});
let liveTurn: unknown;
const conversation: Conversation = createConversation({
  rest,
  settings: composer.settings,
  now: () => performance.now(),
  onChanged() {
    // A turn that is no longer written leaves its text to be read until something new is typed.
    const { current } = conversation;
    if (current?.isOpen === true) liveTurn = current;
    else if (liveTurn !== undefined) {
      liveTurn = undefined;
      live.finish();
    }
    stage.update();
  },
  onNotice: showNotice,
  onConnection(state) {
    pageElement('connection', HTMLElement).dataset.state = state;
    pageElement('connection-text', HTMLElement).textContent = CONNECTIONS[state];
  },
});
const stage = createStage({
  conversation: () => conversation,
  canNarrate: offer.has('narration'),
  tell,
  onOver: () => void showQuota().catch(() => {}),
  onBusy: () => showInterruptElsewhere(),
});

function say(): void {
  if (composer.mode === 'live') return conversation.end();
  const content = composer.content();
  if (content === undefined) return showNotice('There is nothing to say yet.');
  void conversation.speak(content);
  stage.reveal();
}

pageElement('composer', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  say();
});
pageElement('flush', HTMLButtonElement).addEventListener('click', () => conversation.flush());
const interruptElsewhere = pageElement('interrupt-elsewhere', HTMLButtonElement);
for (const button of [pageElement('interrupt', HTMLButtonElement), interruptElsewhere])
  button.addEventListener('click', () => void conversation.interrupt());
let view: ViewName = 'speak';
/** Speech goes on while another view is seen, and must be stopped from there, too. */
function showInterruptElsewhere(): void {
  const isWanted = conversation.isBusy && view !== 'speak';
  // A focused button that is hidden takes the keyboard's place on the page with it.
  if (!isWanted && document.activeElement === interruptElsewhere) pageElement('main', HTMLElement).focus();
  interruptElsewhere.hidden = !isWanted;
}
pageElement('pause', HTMLButtonElement).addEventListener('click', () =>
  conversation.narrate(conversation.current?.isHeld === true ? 'resume' : 'pause'),
);
const seekBy = (paragraphs: number) => () =>
  conversation.narrate({ seek: Math.max(0, (conversation.current?.paragraph ?? 0) + paragraphs) });
pageElement('paragraph-back', HTMLButtonElement).addEventListener('click', seekBy(-1));
pageElement('paragraph-on', HTMLButtonElement).addEventListener('click', seekBy(1));
addEventListener('keydown', (event) => {
  // In a dialog these keys are the dialog's.
  if (document.querySelector('dialog[open]') !== null) return;
  if (event.key === 'Escape' && conversation.isBusy) void conversation.interrupt();
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    say();
  }
});

const playNotes = createPlayNoteView({ rest, tell });
const operator = createOperatorView({ rest, offer, tell, ownSession: () => conversation.sessionId });

async function open(): Promise<void> {
  if (offer.wants === 'keys') {
    if (!offer.has('tokens')) return showNotice('This gateway wants keys and gives no tokens to pages.');
    await askForKeys(rest);
  }
  if (offer.has('service')) {
    const voices = await rest.json<ListedVoice[]>('/api/v1/voices');
    composer.offerVoices(voices);
    playNotes.offerVoices(voices);
  }
  for (const link of document.querySelectorAll<HTMLElement>('nav a[data-view="playnote"]'))
    link.hidden = !offer.has('service');
  followPageViews({
    onEnter(entered) {
      view = entered;
      showInterruptElsewhere();
      if (view === 'playnote') playNotes.enter();
      else playNotes.leave();
      if (view === 'operator') operator.enter();
      else operator.leave();
    },
  });
}

open().catch((error: unknown) => showNotice(error instanceof Error ? error.message : String(error)));
