import type { ProblemDocument, ProblemItem } from "../../ground/problem/index.js";

/** Makes the detail of a problem, or of one of its `errors`; `undefined` leaves it as it is. */
export type DescribeProblem = (problem: ProblemItem | ProblemDocument) => string | undefined;

/** The texts of problems in one language. */
export interface Catalogue {
  /** Titles, by code and by status: `{ "404": "Nicht gefunden", NOT_FOUND: "Nicht gefunden" }`, codes of your own included. `DUPLICATE` is that of all `DUPLICATE_<FIELD>`. */
  readonly titles: Readonly<Record<string, string>>;
  /**
   * Details and hints, by their English text. `{name}` stands for a value, which is repeated in the translation; `{*name}` for another text of the catalogue,
   * `{?name}` for either, and `{&name}` for a list whose "and" and "or" are translated: `{ 'There is no "{id}" in "{collection}".': "„{id}“ gibt es in „{collection}“ nicht." }`.
   */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /**
   * Details by code, for those that `texts` does not have. `{name}` stands for a member of the problem or the entry of `errors`, such as `{maximum}`, `{allowed}`,
   * `{pointer}`, `{parameter}`, `{header}` or `{supported}`.
   */
  readonly codes?: Readonly<Record<string, string | DescribeProblem>> | undefined;
}

/** The code under which a catalogue lists a problem. */
export function catalogueCode(code: string): string {
  return code.startsWith("DUPLICATE_") ? "DUPLICATE" : code;
}
