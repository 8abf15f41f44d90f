import type { Limits } from "../../../ground/limits/limits.js";
import { malformedBody } from "../checkBody.js";

/** The values of one name. */
export interface FormValues {
  readonly values: unknown[];
  /** The name ends in `[]`. */
  isList: boolean;
}

/** The members of an object by their names. A map, because names such as `__proto__` are ordinary. */
export type FormTree = Map<string, FormTree | FormValues>;

const syntax = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/**
 * Collects the fields of a form into a tree: `address[city]` is the member `city` of `address`, `tags[]` an element of `tags`.
 *
 * @throws {ProblemError} MALFORMED_FORM for a name with unbalanced brackets, or nested too deeply, for names that contradict each other, and for too many fields
 */
export class FormFields {
  readonly tree: FormTree = new Map();
  readonly #limits: Limits;
  /** Each costs more than a member of JSON: its name is parsed, and its value converted. */
  #fields = 0;
  #count = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @param value a text, or what a body parser of the host has nested already */
  add(name: string, value: unknown): void {
    const { jsonDepth, jsonMembers } = this.#limits;
    if (++this.#fields > jsonMembers) throw malformedBody("MALFORMED_FORM", `The form has more than ${jsonMembers} fields.`);
    this.#countOne();
    const [, first, rest = ""] = syntax.exec(name) ?? [];
    if (first === undefined) throw malformedBody("MALFORMED_FORM", `The name ${shown(name)} must be like "city", "address[city]" or "tags[]".`);
    const path = rest === "" ? [first] : [first, ...rest.slice(1, -1).split("][")];
    const isList = path.length > 1 && path.at(-1) === "";
    if (isList) path.pop();
    if (path.includes("")) throw malformedBody("MALFORMED_FORM", `In the name ${shown(name)}, "[]" is not at the end; write "[0]", "[1]" instead.`);
    if (path.length > jsonDepth) throw malformedBody("MALFORMED_FORM", `A name is nested deeper than ${jsonDepth} levels.`);
    this.#put(path, value, isList);
  }

  #countOne(): void {
    const { jsonValues } = this.#limits;
    if (++this.#count > jsonValues) throw malformedBody("MALFORMED_FORM", `The form has more than ${jsonValues} values.`);
  }

  #put(path: readonly string[], value: unknown, isList: boolean): void {
    let tree = this.tree;
    for (const [index, step] of path.slice(0, -1).entries()) {
      let known = tree.get(step);
      if (known === undefined) {
        this.#countOne();
        known = new Map();
        tree.set(step, known);
      }
      if (!(known instanceof Map)) throw contradiction(path.slice(0, index + 1));
      tree = known;
    }
    const last = path.at(-1) ?? "";
    const known = tree.get(last) ?? { values: [], isList };
    if (known instanceof Map) throw contradiction(path);
    known.isList ||= isList;
    known.values.push(value);
    tree.set(last, known);
  }
}

function contradiction(path: readonly string[]) {
  return malformedBody("MALFORMED_FORM", `${shown(path.join("."))} is both a value and an object.`, path);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
