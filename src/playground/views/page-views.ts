// The views of the page, one at a time, by the fragment of its address: links, the back button and bookmarks just work.

export const VIEWS = ['speak', 'playnote', 'operator'] as const;
export type ViewName = (typeof VIEWS)[number];

export type PageViewsOptions = {
  readonly onEnter: (view: ViewName) => void;
};

const isView = (name: string): name is ViewName => (VIEWS as readonly string[]).includes(name);

/** Shows the view of the address and follows it; fragments that are no view change nothing. */
export function followPageViews({ onEnter }: PageViewsOptions): void {
  let shown: ViewName | undefined;
  function follow(): void {
    const named = location.hash.slice(1);
    if (!isView(named) && shown !== undefined) return;
    const view = isView(named) ? named : 'speak';
    if (view === shown) return;
    shown = view;
    for (const name of VIEWS) document.getElementById(name)!.hidden = name !== view;
    for (const link of document.querySelectorAll<HTMLElement>('nav a[data-view]')) {
      if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    scrollTo(0, 0);
    onEnter(view);
  }
  addEventListener('hashchange', follow);
  follow();
}
