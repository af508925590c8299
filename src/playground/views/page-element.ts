// Elements of the page by their ids: there, and of the kind that the code counts on, or an error that names them.

export function pageElement<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`the page has no ${kind.name} #${id}`);
}

/** An element with text, for what the page makes itself. */
export function madeElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: { readonly className?: string; readonly text?: string } = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (properties.className !== undefined) element.className = properties.className;
  if (properties.text !== undefined) element.textContent = properties.text;
  return element;
}

/** Text is written only when it is another one. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
