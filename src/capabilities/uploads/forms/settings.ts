import type { BodyPace } from "../../../ground/http/body/bodyWatch.js";
import type { FileCheck } from "../../../parts/checks/fileCheck.js";
import { fileChecks } from "../../../parts/checks/fileChecks.js";
import { type MultipartLimits, multipartLimits } from "../../../parts/multipart/multipartLimits.js";
import type { FormOptions, UploadOptions, Visibility } from "../options.js";
import { checkRules, type FormRules } from "./formRules.js";

/** Settings of one form, created once for a service. */
export interface FormSettings {
  readonly name: string;
  readonly types: FormOptions["types"];
  /** All checks, including the type check. */
  readonly checks: readonly FileCheck[];
  readonly limits: MultipartLimits;
  readonly visibility: Visibility;
  readonly rules: FormRules;
}

/**
 * @param pace default minimum pace of the request body
 * @throws {ConfigurationError} for invalid types and rules
 */
export function formSettings(
  { forms = {}, checks: others = [], visibility: usual = "private" }: Pick<UploadOptions, "forms" | "checks" | "visibility">,
  pace?: BodyPace,
): ReadonlyMap<string, FormSettings> {
  const made = Object.entries(forms).map(([name, options]): readonly [string, FormSettings] => {
    const place = `uploads.forms.${name}`;
    const { types, checks = others, visibility = usual, limits, ...rules } = options;
    checkRules(place, rules);
    const made = { types, checks: fileChecks(place, types, checks), visibility };
    return [name, { name, ...made, limits: multipartLimits({ ...pace, ...limits }), rules }];
  });
  return new Map(made);
}
