import type { z } from "zod";
import type { Responded } from "../../engine/resource/actions.js";
import { compileValidate } from "../../engine/resource/define/validate.js";
import { writeJson } from "../../ground/http/json/writeJson.js";
import { ConfigurationError } from "../../ground/problem/index.js";

/** Checks what an action responds. @throws {ConfigurationError} for a value that the developer's `output` refuses */
export type ActionOutput = (value: unknown) => Promise<unknown>;

export function compileOutput(place: string, schema: z.ZodType | undefined): ActionOutput {
  if (schema === undefined) return async (value) => value;
  const validate = compileValidate(schema);
  return async (value) => {
    const validation = await validate(value);
    if (validation.ok) return validation.value;
    const [first] = validation.items;
    const where = first?.pointer === undefined || first.pointer === "" ? "" : ` at ${first.pointer}`;
    throw new ConfigurationError(`${place} responded a value that its "output" refuses${where}: ${first?.detail ?? ""} Nothing was committed.`);
  };
}

/** What an action responds, with the value that its `output` makes of it. @throws {ConfigurationError} */
export async function validated({ output }: { readonly output: ActionOutput }, responded: Responded): Promise<Responded> {
  return responded.value === undefined ? responded : { ...responded, value: await output(responded.value) };
}

/** The JSON of a value, with bigints as digits. @throws {ConfigurationError} for a value that has no JSON */
export async function jsonOf(place: string, value: unknown): Promise<string | Uint8Array> {
  try {
    if (typeof value === "object" && value !== null) return await writeJson(value);
  } catch (error) {
    // A bigint, which JSON does not have.
    if (!(error instanceof TypeError)) throw error;
  }
  const text = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? member.toString() : member)) as string | undefined;
  if (text === undefined) throw new ConfigurationError(`${place} responded ${typeof value}, which has no JSON.`);
  return text;
}
