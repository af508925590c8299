// Documents of a few elements, as TwiML is: elements, attributes and the five entities of XML, and nothing else. Strict:
// what is not well-formed is an Error. Linear in the length of the text.

export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
};

const TOKEN = /<!--[^]*?-->|<\?[^]*?\?>|<(\/?)([A-Za-z][\w.-]*)([^<>]*?)(\/?)>|[^<]+|</g;
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string): string =>
  text.replace(/&([^;&]*);?/g, (entity, name: string) => {
    const sign = ENTITIES[name];
    if (sign === undefined || !entity.endsWith(';')) throw new Error(`${entity} is no entity of XML.`);
    return sign;
  });

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  let at = 0;
  while (text.slice(at).trim() !== '') {
    ATTRIBUTE.lastIndex = at;
    const [all, name, double, single] = ATTRIBUTE.exec(text) ?? [];
    if (all === undefined || Object.hasOwn(attributes, name!))
      throw new Error(`${text.slice(at).trim()} is no attribute.`);
    attributes[name!] = decoded(double ?? single!);
    at = ATTRIBUTE.lastIndex;
  }
  return attributes;
}

type OpenElement = { name: string; attributes: Record<string, string>; children: XmlElement[] };

/** The root element. */
export function readXml(text: string): XmlElement {
  const document: OpenElement = { name: '', attributes: {}, children: [] };
  const open = [document];
  for (const [token, slash, name, inside, isEmpty] of text.matchAll(TOKEN)) {
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
