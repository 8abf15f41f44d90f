import type { FormOptions } from "restwright/uploads";
import { afterEach } from "vitest";
import type { FullServiceOptions, UploadRules } from "../../../tools/fullService.js";
import { type StageOptions, type UploadStage, uploadStage } from "../stage.js";

/** A PNG of one pixel. */
export const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

export interface FormStageOptions extends Omit<StageOptions, "uploads"> {
  readonly form?: Partial<FormOptions>;
  readonly uploads?: Partial<UploadRules>;
  readonly auth?: FullServiceOptions["auth"];
}

export interface FormStage extends UploadStage {
  /** Sends a form to `/avatars` as a browser would. */
  post(form: FormData, headers?: Readonly<Record<string, string>>): Promise<FormAnswer>;
}

export interface FormAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

const stages: UploadStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

/** A service with the form `/avatars`, which is closed after the test. */
export async function openForms({ form = {}, uploads = {}, ...options }: FormStageOptions = {}): Promise<FormStage> {
  const stage = await uploadStage({ ...options, uploads: { ...uploads, forms: { avatars: { types: "any", ...form } } } });
  stages.push(stage);
  return {
    ...stage,
    async post(body, headers = {}) {
      const response = await fetch(`${stage.origin}/avatars`, { method: "POST", body, headers });
      return { status: response.status, headers: response.headers, json: await response.json() };
    },
  };
}

/** A form of these files (name, file name, content) and fields (name, value). */
export function formData(...parts: readonly (readonly [name: string, filename: string, content: Uint8Array | string] | readonly [string, string])[]) {
  const form = new FormData();
  for (const [name, text, content] of parts) {
    if (content === undefined) form.append(name, text);
    else form.append(name, new File([Buffer.from(content)], text));
  }
  return form;
}
