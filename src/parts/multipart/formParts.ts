import { bodyChunks } from "../../ground/http/body/bodyStream.js";
import { systemTimers, type Timers } from "../../ground/http/timers.js";
import type { AnnouncedForm } from "./announcedForm.js";
import { FormReading } from "./formReading.js";
import { formTooLarge } from "./formTally.js";
import { type MultipartLimits, multipartLimits } from "./multipartLimits.js";
import type { Part } from "./part.js";

/** Overrides of {@link defaultMultipartLimits}, and the timers. */
export type MultipartOptions = { readonly [name in keyof MultipartLimits]?: number | undefined } & {
  /** Timers for `stallMs`. Defaults to the timers of the system. */
  readonly timers?: Timers | undefined;
};

/** The parts of a form, as {@link parseMultipart} reads them, whose headers and options have been checked. */
export async function* formParts(form: AnnouncedForm, options: MultipartOptions): AsyncGenerator<Part, void, undefined> {
  const { timers = systemTimers, ...changes } = options;
  const limits = multipartLimits(changes);
  const { requestBytes, stallMs, bytesPerSecond } = limits;
  if (Number(form.contentLength) > requestBytes) throw formTooLarge(requestBytes);
  const chunks = bodyChunks(form, { limitBytes: requestBytes, stallMs, bytesPerSecond, timers, tooLarge: formTooLarge });
  const reading = new FormReading(chunks, form, limits);
  try {
    for (let part = await reading.next(); part !== undefined; part = await reading.next()) yield part;
  } finally {
    reading.close();
  }
}
