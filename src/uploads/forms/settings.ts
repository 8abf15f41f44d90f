import { ConfigurationError, oneOf, requireOptions } from "../../problem/index.js";
import type { FileCheck } from "../checks/fileCheck.js";
import { fileChecks } from "../checks/fileChecks.js";
import { type MultipartLimits, multipartLimits } from "../multipart/multipartLimits.js";
import { type FormOptions, type UploadOptions, type Visibility, visibilities } from "../options.js";
import { checkRules, type FormRules } from "./formRules.js";

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

export const formOptionNames = {
  types: true,
  checks: true,
  limits: true,
  visibility: true,
  fields: true,
  files: true,
  requiredFiles: true,
} as const satisfies Record<keyof FormOptions, true>;

/** @throws {ConfigurationError} for options that cannot work */
export function formSettings({ forms = {}, checks: others = [], visibility: usual = "private" }: UploadOptions): ReadonlyMap<string, FormSettings> {
  const made = Object.entries(forms).map(([name, options]): readonly [string, FormSettings] => {
    const place = `uploads.forms.${name}`;
    requireOptions(place, options, formOptionNames);
    const { types, checks = others, visibility = usual, limits, ...rules } = options;
    checkRules(place, rules);
    const made = { types, checks: fileChecks(place, types, checks), visibility: oneOf(`${place}.visibility`, visibility, visibilities) };
    return [name, { name, ...made, limits: limitsOf(name, limits ?? {}), rules }];
  });
  return new Map(made);
}

function limitsOf(name: string, changes: NonNullable<FormOptions["limits"]>): MultipartLimits {
  try {
    return multipartLimits(changes);
  } catch (error) {
    throw new ConfigurationError(`"uploads.forms.${name}.limits": ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
