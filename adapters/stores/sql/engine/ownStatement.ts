import { ConfigurationError } from "../../../../src/ground/options/index.js";
import type { Dialect, Syntax } from "./dialect.js";
import type { SqlStatement } from "./executor.js";

/** What begins, ends or changes a transaction, by its first words. */
const control =
  /^(?:begin|start|commit|end|rollback|abort|savepoint|release|prepare transaction|set (?:local |session )?(?:transaction\w*|characteristics))(?: |$)/;

/**
 * A statement that the developer wrote. Drivers of SQLite must know before whether it returns rows.
 *
 * @throws {ConfigurationError} for a statement that begins, ends or changes a transaction, and for several statements, unless the engine refuses those itself
 */
export function ownStatement(text: string, values: readonly unknown[], { syntax, title }: Pick<Dialect, "syntax" | "title">): SqlStatement {
  const words = firstWords(text, syntax);
  const [refused] = control.exec(words) ?? [];
  if (refused !== undefined) {
    throw new ConfigurationError(
      `"tx.sql" cannot run "${refused.trim()}": the service ends its transactions itself. For a savepoint call "tx.transaction".`,
    );
  }
  if (syntax.ignoresLaterStatements && hasSeveral(text, words)) {
    throw new ConfigurationError(`"tx.sql" takes one statement, and ${title} would run only the first of these; call it once for each.`);
  }
  const isQuery = /^(?:select|values|explain)\b/.test(words) || (/^with\b/.test(words) && !/\b(?:insert|update|delete|merge)\b/i.test(text));
  return { text, values, writes: !isQuery, returns: isQuery || /\breturning\b/i.test(text) ? "many" : "none", isByDeveloper: true };
}

/** The first words of a text in lower case, up to three, with one blank between them. */
function firstWords(text: string, syntax: Syntax): string {
  const words: string[] = [];
  let rest = withoutLead(text, syntax);
  while (words.length < 3) {
    const [word = ""] = /^\w*/.exec(rest) ?? [];
    if (word === "") break;
    words.push(word.toLowerCase());
    rest = withoutLead(rest.slice(word.length), syntax);
  }
  return words.join(" ");
}

/** The text from its first word or sign on. */
function withoutLead(text: string, syntax: Syntax): string {
  let rest = text.replace(syntax.blanks, "");
  while (rest.startsWith("/*")) rest = rest.slice(commentLength(rest, syntax)).replace(syntax.blanks, "");
  return rest;
}

/** The length of the comment at the beginning of a text. */
function commentLength(text: string, { nestsComments }: Syntax): number {
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    if (mark === "*/") depth -= 1;
    else if (depth === 0 || nestsComments) depth += 1;
    if (depth === 0) return index + 2;
  }
  return text.length;
}

/** What may contain a semicolon: texts, names and comments. */
const quoted = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** Whether the engine would find a second statement. A trigger is one statement with others in it. */
function hasSeveral(text: string, words: string): boolean {
  if (/^create (?:temp(?:orary)? )?trigger\b/.test(words)) return false;
  const parts = text.replace(quoted, " ").split(";");
  return parts.filter((part) => part.trim() !== "").length > 1;
}
