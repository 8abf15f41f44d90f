import { type Faults, repeatedParameter } from "../fault.js";
import type { ControlName } from "./control.js";

/** What a request says with the words of the language, as text. */
export interface Words {
  readonly controls: { [name in ControlName]?: string | undefined };
  /** `fields[type]` by type. */
  types: Map<string, string> | undefined;
}

/** Lists that may be given in several parts. */
const repeatable: ReadonlySet<ControlName> = new Set(["has", "include", "expand", "exclude"]);

export function takeControl({ controls }: Words, name: ControlName, value: string, faults: Faults): void {
  const known = controls[name];
  if (known === undefined) controls[name] = value;
  else if (repeatable.has(name)) controls[name] = `${known},${value}`;
  else faults.push(repeatedParameter(name));
}

/** Whether the key is `fields[…]`, which always chooses fields. */
export function isTypeKey(key: string): boolean {
  return key.startsWith("fields[") && key.endsWith("]");
}

export function takeType(words: Words, key: string, value: string, faults: Faults): void {
  const type = key.slice("fields[".length, -1);
  words.types ??= new Map();
  if (words.types.has(type)) faults.push(repeatedParameter(key));
  else words.types.set(type, value);
}
