// XML of a few elements: what is whole is read, what is not is refused, in time that grows with its length.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml, type XmlElement } from '../../../testkit/callers/small-xml.ts';

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,8}$/);
const { element } = fc.letrec<{ element: XmlElement }>((tie) => ({
  element: fc.record({
    name,
    attributes: fc.dictionary(name, fc.string({ maxLength: 12 }), { maxKeys: 3, noNullPrototype: true }),
    children: fc.oneof(
      { depthSize: 'small' },
      fc.constant([]),
      fc.array(tie('element') as fc.Arbitrary<XmlElement>, { maxLength: 3 }),
    ),
  }),
}));
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const written = ({ name, attributes, children }: XmlElement): string => {
  const head = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('');
  return children.length === 0
    ? `<${name}${head}/>`
    : `<${name}${head}>\n${children.map(written).join('<!-- <x> -->')}</${name} >`;
};

describe('small XML', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(element, (root) => {
        expect(readXml(`<?xml version="1.0"?>${written(root)}`)).toEqual(root);
      }),
    );
  });

  it.each([
    ['', /not one root/],
    ['<a/><b/>', /not one root/],
    ['<a>', /not closed/],
    ['<a></b>', /closes nothing/],
    ['</a>', /closes nothing/],
    ['x<a/>', /outside/],
    ['<a b=c/>', /no attribute/],
    ['<a b="1" b="2"/>', /no attribute/],
    ['<a b="&nbsp;"/>', /no entity/],
    ['<a>&</a>', /no entity/],
    ['<a>1 < 2</a>', /begins no tag/],
    ['<!-- <a/>', /does not end/],
  ])('%s is refused', (text, words) => {
    expect(() => readXml(text)).toThrow(words);
  });

  it.each([
    ['a name without an end', `<${'a'.repeat(60_000)}`],
    ['spaces without an end', `<a${' '.repeat(60_000)}<`],
    ['comments without an end', '<!--'.repeat(15_000)],
    ['open tags', '<a>'.repeat(20_000)],
  ])('%s takes no longer than its length', (_what, text) => {
    expect(() => readXml(text)).toThrow();
  });
});
