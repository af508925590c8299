// Documents of a few elements, as TwiML is: elements, attributes and the five entities of XML, and nothing else. Strict:
// what is not well-formed is an Error. Linear in the length of the text.

export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
};

const DECLARATION = /^<\?xml[^<>]*\?>/;
const TOKEN = /<(\/?)([A-Za-z][\w.-]*)(?=[\s/>])([^<>]*?)(\/?)>|[^<]+|</g;
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string): string =>
  text.replace(/&([^;&]*);?/g, (entity, name: string) => {
    const sign = ENTITIES[name];
    if (sign === undefined || !entity.endsWith(';')) throw new Error(`${entity} is no entity of XML.`);
    return sign;
  });

function attributesOf(inside: string): Record<string, string> {
  const text = inside.trimEnd();
  const attributes: Record<string, string> = {};
  let at = 0;
  while (at < text.length) {
    ATTRIBUTE.lastIndex = at;
    const [all, name, double, single] = ATTRIBUTE.exec(text) ?? [];
    if (all === undefined || Object.hasOwn(attributes, name!))
      throw new Error(`${text.slice(at, at + 40).trim()} is no attribute, or there twice.`);
    attributes[name!] = decoded(double ?? single!);
    at = ATTRIBUTE.lastIndex;
  }
  return attributes;
}

type OpenElement = { name: string; attributes: Record<string, string>; children: XmlElement[] };

function withoutComments(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let begin = text.indexOf('<!--'); begin >= 0; begin = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', begin + 4);
    if (end < 0) throw new Error('A comment that does not end.');
    parts.push(text.slice(at, begin));
    at = end + 3;
  }
  return parts.join('') + text.slice(at);
}

/** The root element. */
export function readXml(text: string): XmlElement {
  const document: OpenElement = { name: '', attributes: {}, children: [] };
  const open = [document];
  const plain = withoutComments(text.replace(DECLARATION, ''));
  for (const [token, slash, name, inside, isEmpty] of plain.matchAll(TOKEN)) {
    if (name === undefined) {
      if (token === '<') throw new Error('A < that begins no tag.');
      if (open.length === 1 && !token.startsWith('<') && token.trim() !== '')
        throw new Error('Text outside of the document.');
      if (!token.startsWith('<')) decoded(token);
    } else if (slash === '/') {
      const closed = open.pop();
      if (closed?.name !== name || open.length === 0) throw new Error(`</${name}> closes nothing.`);
    } else {
      const element = { name, attributes: attributesOf(inside!), children: [] };
      open.at(-1)!.children.push(element);
      if (isEmpty !== '/') open.push(element);
    }
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)!.name}> is not closed.`);
  if (document.children.length !== 1) throw new Error('There is not one root element.');
  return document.children[0]!;
}
