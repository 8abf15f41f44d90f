/** The text of an option without its default, and its default. */
export interface DescribedOption {
  readonly text: string;
  /** `undefined` if the text names none. */
  readonly default: string | undefined;
}

/** Up to the end of a sentence or of a clause; a dot within a number or within code ends neither. */
const value = "((?:[^.;:`(]|\\([^()]*\\)|`[^`]*`|[.:](?=\\S))+)";

/** The forms in which TSDoc of this repository gives a default: the group `value` is the default, and the group `rest`, if any, stays in the text. */
const forms: readonly RegExp[] = [
  // Defaults to 5,000; at least … Default: always.
  new RegExp(`(?:^|(?<=[.;] ))[Dd]efaults?(?: to|:) ${value.replace("(", "(?<value>")}(?:[.;](?: |$)|$)`),
  // (default: all), (default 10,000)
  /\s*\(default:? (?<value>(?:[^()`]|`[^`]*`|\([^()]*\))*)\)/,
  // (`shared`, default)
  /(?<rest>\s*\((?<value>`[^`]+`), (?:the )?default\))/,
  // `create` (default)
  /(?<rest>(?<value>`[^`]+`) \(default\))/,
  // (60,000), (24 hours), (`/openapi.json`), (900; at most a week), (false)
  /\s*\((?<value>\d+(?:,\d{3})*(?: [A-Za-z]+)?|`[^`]+`|true|false)(?<rest>; [^()]*)?\)(?=[.,;:]| →|$)/,
  // ; 10,000 unless given
  /; (?<value>[\d,]+) unless given/,
];

/**
 * Separates the default of an option from its text.
 *
 * @example
 * defaultOf("How long one check may take, in milliseconds (10,000).") // { text: "How long one check may take, in milliseconds.", default: "10,000" }
 */
export function defaultOf(text: string): DescribedOption {
  for (const form of forms) {
    const found = form.exec(text);
    if (found?.groups === undefined) continue;
    const { value: given = "", rest = "" } = found.groups;
    const before = text.slice(0, found.index) + rest;
    const after = text.slice(found.index + found[0].length);
    return { text: joined(before, after), default: given.trim() };
  }
  return { text, default: undefined };
}

/** What is left begins with a capital letter where it is the beginning of a sentence. */
function joined(before: string, after: string): string {
  const isSentence = /(?:^|\. )$/.test(before);
  return `${before}${isSentence ? after.slice(0, 1).toUpperCase() + after.slice(1) : after}`.trim().replace(/;$/, ".");
}
