import { type Faults, repeatedParameter } from "../fault.js";
import { type ControlName, listControls } from "./control.js";

/** What a request says with the words of the language, as text. */
export interface Words {
  readonly controls: { [name in ControlName]?: string | undefined };
  /** `fields[type]` by type. */
  types: Map<string, string> | undefined;
}

const lists: ReadonlySet<ControlName> = new Set(listControls);

export function takeControl({ controls }: Words, name: ControlName, value: string, faults: Faults): void {
  const known = controls[name];
  if (known === undefined) controls[name] = value;
  else if (lists.has(name)) controls[name] = `${known},${value}`;
  else faults.push(repeatedParameter(name));
}

/** Whether the key is `fields[…]`, which always chooses fields of a type. */
export function isTypeKey(key: string): boolean {
  return key.startsWith("fields[") && key.endsWith("]");
}

export function takeType(words: Words, key: string, value: string): void {
  const type = key.replace(/\[\]$/, "").slice("fields[".length, -1);
  words.types ??= new Map();
  const known = words.types.get(type);
  words.types.set(type, known === undefined ? value : `${known},${value}`);
}
