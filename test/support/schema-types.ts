// TypeScript types of JSON schemas (draft 2020-12), as far as zod writes them: the package of the client has the types of the
// protocol without the schemas.

type Schema = Readonly<Record<string, unknown>>;

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');
/** A type before `[]`, in brackets where it has to. */
const item = (type: string): string => (/ [|&] /.test(type) ? `(${type})` : type);
const comment = (said: unknown, indent: string): string =>
  typeof said === 'string' ? `${indent}/** ${said.replaceAll('*/', '*\\/')} */\n` : '';

function objectOf(schema: Schema, indent: string): string {
  const fields = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>);
  const needed = new Set(schema.required as readonly string[] | undefined);
  const further = schema.additionalProperties;
  if (fields.length === 0)
    return `Readonly<Record<string, ${typeof further === 'object' ? typeOf(further as Schema, indent) : 'unknown'}>>`;
  const deeper = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const type = typeOf(field, deeper);
    const told = comment(field.description, deeper);
    const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
    return needed.has(name)
      ? `${told}${deeper}readonly ${key}: ${type};\n`
      : `${told}${deeper}readonly ${key}?: ${type} | undefined;\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

/** Throws for a keyword that would be lost. */
function typeOf(schema: Schema, indent: string): string {
  if ('$ref' in schema || 'allOf' in schema || 'prefixItems' in schema)
    throw new Error(`no type is made of ${Object.keys(schema).join(', ')}`);
  if ('const' in schema) return JSON.stringify(schema.const);
  if ('enum' in schema) return union((schema.enum as unknown[]).map((each) => JSON.stringify(each)));
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (choices !== undefined) return union(choices.map((each) => typeOf(each, indent)));
  const { type } = schema;
  if (Array.isArray(type))
    return union(type.map((each) => typeOf({ ...schema, type: each as string }, indent)));
  switch (type) {
    case 'object':
      return objectOf(schema, indent);
    case 'array':
      return `${item(typeOf((schema.items ?? {}) as Schema, indent))}[]`;
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no type is made of type ${String(type)}`);
  }
}

/** `export type NAME = …`, with the schema's description above it. */
export const declarationOf = (name: string, schema: Schema): string =>
  `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`;
