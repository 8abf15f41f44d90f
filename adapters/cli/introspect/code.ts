/** The most characters of a line. */
const maxLine = 100;

/** A part of a program: text, or a list in brackets that is written on one line if it fits. */
export type Code = string | { readonly open: string; readonly items: readonly Item[]; readonly close: string };

/** An item of a list; a comment has a line of its own. */
export type Item = { readonly comment: string } | { readonly key?: string | undefined; readonly code: Code };

/** An object with members. */
export function object(members: readonly Item[]): Code {
  return { open: "{", items: members, close: "}" };
}

/** A call with arguments, or an array with `[`. */
export function listed(open: string, items: readonly Code[], close: string): Code {
  return { open, items: items.map((code) => ({ code })), close };
}

export function member(name: string, code: Code): Item {
  return { key: key(name), code };
}

/** A value of JSON as code. */
export function value(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(value).join(", ")}]`;
  if (typeof json === "object" && json !== null) {
    const members = Object.entries(json).map(([name, each]) => `${key(name)}: ${value(each)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return text(json);
}

function key(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : text(name);
}

/** Separators of lines are escaped, so that no name ends a line of the program. */
function text(json: unknown): string {
  const double = JSON.stringify(json);
  const isPlainer = typeof json === "string" && json.includes('"') && !json.includes("'");
  const quoted = isPlainer ? `'${double.slice(1, -1).replaceAll('\\"', '"')}'` : double;
  return quoted.replaceAll(/[\u2028\u2029\u007f-\u009f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A comment of one line, whatever the text contains. */
export function comment(sentence: string): string {
  return `// ${sentence.replaceAll(/\p{C}|[\u2028\u2029]/gu, " ")}`;
}

/**
 * Writes code with two spaces for each level.
 *
 * @param column how many characters are before it on its line
 * @param after how many follow on its last line
 */
export function write(code: Code, indent: string, column: number, after: number): string {
  if (typeof code === "string") return code;
  const line = onOneLine(code);
  if (line !== undefined && column + line.length + after <= maxLine) return line;
  const inner = `${indent}  `;
  const lines = code.items.map((item) => {
    if ("comment" in item) return `${inner}${comment(item.comment)}`;
    const prefix = item.key === undefined ? "" : `${item.key}: `;
    return `${inner}${prefix}${write(item.code, inner, inner.length + prefix.length, 1)},`;
  });
  return `${code.open}\n${lines.join("\n")}\n${indent}${code.close}`;
}

/** `undefined` if it has a comment. */
function onOneLine(code: Code): string | undefined {
  if (typeof code === "string") return code;
  const items: string[] = [];
  for (const item of code.items) {
    const inner = "comment" in item ? undefined : onOneLine(item.code);
    if (inner === undefined || "comment" in item) return undefined;
    items.push(item.key === undefined ? inner : `${item.key}: ${inner}`);
  }
  const space = code.open.endsWith("{") && items.length > 0 ? " " : "";
  return `${code.open}${space}${items.join(", ")}${space}${code.close}`;
}
