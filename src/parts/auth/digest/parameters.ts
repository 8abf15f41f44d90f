const maxLength = 16_384;
const maxParameters = 32;

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** No part can match what the one before it matches, so a text is read once. */
const parameter = new RegExp(String.raw`[ \t,]*(${token})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(${token}))[ \t]*(?:,|$)`, "y");

/**
 * The parameters of an Authorization header, by lower-case name, with quoted values unquoted; `undefined` for a text that is not a list of parameters, names one twice,
 * or has more than 32.
 *
 * @see RFC 9110 §11.4
 */
export function parseParameters(text: string): ReadonlyMap<string, string> | undefined {
  if (text.length > maxLength) return undefined;
  const list = text.slice(0, endOfList(text));
  const parameters = new Map<string, string>();
  parameter.lastIndex = 0;
  while (parameter.lastIndex < list.length) {
    const [, name, quoted, plain] = parameter.exec(list) ?? [];
    if (name === undefined || parameters.size === maxParameters || parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), plain ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
  }
  return parameters;
}

/** Where the empty elements at the end begin. */
function endOfList(text: string): number {
  let end = text.length;
  while (end > 0 && " \t,".includes(text.charAt(end - 1))) end -= 1;
  return end;
}
