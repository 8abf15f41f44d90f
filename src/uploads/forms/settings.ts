import { ConfigurationError } from "../../problem/index.js";
import type { FileCheck } from "../checks/fileCheck.js";
import { fileChecks } from "../checks/fileChecks.js";
import { type MultipartLimits, multipartLimits } from "../multipart/multipartLimits.js";
import type { FormOptions, UploadOptions, Visibility } from "../options.js";
import type { FormRules } from "./formRules.js";

/** A form that a service takes; made once. */
export interface FormSettings {
  readonly name: string;
  readonly types: FormOptions["types"];
  /** All of them, that of the types included. */
  readonly checks: readonly FileCheck[];
  readonly limits: MultipartLimits;
  readonly visibility: Visibility;
  readonly rules: FormRules;
}

/** @throws {ConfigurationError} for options that cannot work */
export function formSettings({ forms = {}, checks: others = [], visibility: usual = "private" }: UploadOptions): ReadonlyMap<string, FormSettings> {
  const made = Object.entries(forms).map(([name, options]): readonly [string, FormSettings] => {
    const { types, checks = others, visibility = usual, limits, ...rules } = options;
    for (const required of rules.requiredFiles ?? []) {
      if ((rules.files ?? "any") !== "any" && rules.files?.includes(required) !== true)
        throw new ConfigurationError(`The form "${name}" needs a file as "${required}", which is not among its "files".`);
    }
    return [name, { name, types, checks: fileChecks(types, checks), limits: limitsOf(name, limits ?? {}), visibility, rules }];
  });
  return new Map(made);
}

function limitsOf(name: string, changes: NonNullable<FormOptions["limits"]>): MultipartLimits {
  try {
    return multipartLimits(changes);
  } catch (error) {
    throw new ConfigurationError(`The form "${name}": ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
