// One PlayNote in the list: how far it is, and when it is done a player with its chapters and files.

import type { PlayNoteRecord } from '../../speech/service-records.ts';
import { readChapters } from './chapter-list.ts';
import { madeElement } from './page-element.ts';

export type PlayNoteItem = {
  readonly element: HTMLLIElement;
  show(record: PlayNoteRecord): void;
  /** To its button. */
  focus(): void;
};

/** Files lie behind the origin that this page came from, however the gateway calls itself. */
const ownAddress = (url: string) => new URL(url).pathname;

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const minutes = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

const STYLES: Readonly<Record<PlayNoteRecord['synthesisStyle'], string>> = {
  podcast: 'Podcast',
  'executive-briefing': 'Executive briefing',
  'childrens-story': 'Children’s story',
  debate: 'Debate',
};
export const styleName = (style: PlayNoteRecord['synthesisStyle']): string => STYLES[style];

/** A message of the gateway with styles as the menu has them; names that are words by themselves stay. */
export const withStyleNames = (message: string): string =>
  message
    .replaceAll('executive-briefing', STYLES['executive-briefing'].toLowerCase())
    .replaceAll('childrens-story', STYLES['childrens-story'].toLowerCase());

/** What tells one PlayNote from all others of the same document: its style and when it was asked for. */
export const kindOf = ({ synthesisStyle, requestedAt }: PlayNoteRecord): string =>
  `${styleName(synthesisStyle)} of ${day.format(new Date(requestedAt))}`;

async function showChapters(list: HTMLUListElement, audio: HTMLAudioElement, url: string): Promise<void> {
  const chapters = readChapters(await (await fetch(ownAddress(url))).text());
  for (const { startSeconds, title } of chapters) {
    const button = madeElement('button');
    button.type = 'button';
    button.append(madeElement('span', { text: minutes(startSeconds) }), madeElement('span', { text: title }));
    button.addEventListener('click', () => {
      audio.currentTime = startSeconds;
      void audio.play();
    });
    const item = madeElement('li');
    item.append(button);
    list.append(item);
  }
}

function player(record: PlayNoteRecord): HTMLElement[] {
  const { name, audioUrl, chaptersUrl, captionsUrl, subtitlesUrl, scriptUrl } = record;
  if (audioUrl === null) return [];
  const audio = madeElement('audio');
  audio.controls = true;
  audio.preload = 'metadata';
  audio.src = ownAddress(audioUrl);
  audio.setAttribute('aria-label', `${name}, ${kindOf(record)}`);
  const chapters = madeElement('ul', { className: 'chapters' });
  chapters.setAttribute('aria-label', `Chapters of ${name}`);
  if (chaptersUrl !== null) void showChapters(chapters, audio, chaptersUrl).catch(() => chapters.remove());
  const links = madeElement('p', { className: 'links' });
  for (const [label, url] of [
    ['Audio', audioUrl],
    ['Captions', captionsUrl],
    ['Captions as SRT', subtitlesUrl],
    ['Chapters', chaptersUrl],
    ['Script with word times', scriptUrl],
  ] as const) {
    if (url === null) continue;
    const link = madeElement('a', { text: label });
    link.href = ownAddress(url);
    link.setAttribute('download', '');
    link.setAttribute('aria-label', `${label} of ${name}, ${kindOf(record)}`);
    links.append(link);
  }
  return [audio, chapters, links];
}

/** `onDelete`: its button was pressed. */
export function createPlayNoteItem(onDelete: (record: PlayNoteRecord) => void): PlayNoteItem {
  const element = madeElement('li');
  const title = madeElement('h3');
  const about = madeElement('p', { className: 'hint' });
  const progress = madeElement('progress');
  progress.max = 1;
  progress.setAttribute('aria-label', 'Progress');
  const remove = madeElement('button', { className: 'quiet', text: 'Delete' });
  remove.type = 'button';
  const head = madeElement('div', { className: 'note-head' });
  head.append(title, remove);
  element.append(head, about, progress);
  let status: PlayNoteRecord['status'] | undefined;
  return {
    element,
    show(record) {
      title.textContent = record.name;
      remove.setAttribute('aria-label', `Delete ${record.name}, ${kindOf(record)}`);
      remove.onclick = () => onDelete(record);
      const source = record.sourceName === record.name ? '' : `, from ${record.sourceName}`;
      const length = record.duration === null ? '' : `, ${minutes(record.duration)}`;
      const phases = { generating: `, ${record.phase}`, completed: length, failed: ', failed' };
      about.textContent = `${kindOf(record)}${phases[record.status]}${source}`;
      if (record.error !== null) about.textContent += `. ${withStyleNames(record.error.message)}`;
      about.setAttribute('data-state', record.status);
      progress.value = record.progress;
      if (record.status === status) return;
      status = record.status;
      progress.hidden = status !== 'generating';
      if (status === 'completed') element.append(...player(record));
    },
    focus: () => remove.focus(),
  };
}
