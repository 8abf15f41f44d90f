import type { z } from "zod";
import { ProblemError } from "../problem/index.js";
import { compileValidate } from "../resource/validate.js";
import { introspectObject } from "../schema/introspect.js";
import { inputConverter } from "../schema/wire.js";
import type { ImportedRow } from "./importRows.js";
import { type FailedRow, failedRow, faultsOf } from "./rowResult.js";
import type { SourceRow } from "./rows.js";
import type { Members } from "./schemaRows.js";

export type Judge<Row> = (row: SourceRow, said: Members) => Promise<ImportedRow<Row> | FailedRow>;

/** Validates what rows say by a schema, compiled once. */
export function judgeBySchema<S extends z.ZodObject>(schema: S): Judge<z.output<S>> {
  const validate = compileValidate(schema);
  const converters = [...introspectObject(schema).values()].flatMap((field) => {
    const convert = inputConverter(field);
    return convert === undefined ? [] : [{ name: field.name, convert }];
  });
  return async (row, said) => {
    if ("fault" in said) return failedRow(row, said.fault);
    const input: Record<string, unknown> = { ...said.members };
    for (const { name, convert } of converters) if (Object.hasOwn(input, name)) input[name] = convert(input[name]);
    const validation = await validate(input);
    if (validation.ok) return { row: row.row, line: row.line, value: validation.value as z.output<S> };
    return failedRow(row, ...faultsOf(new ProblemError("VALIDATION_FAILED", "", { errors: validation.items })));
  };
}
