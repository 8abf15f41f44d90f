import { element, field, fieldset } from "./element.js";
import { type FormInputs, type FormShape, formInputs } from "./form.js";
import type { Filled } from "./request.js";

/** The part of a form in which the body of a request is filled in. */
export interface BodyInputs {
  readonly set: HTMLFieldSetElement;
  read(): Pick<Filled, "mediaType" | "body">;
}

/** The inputs for the bodies that an operation takes: a text or a file, or the fields of a form. */
export function bodyInputs(section: HTMLElement): BodyInputs | undefined {
  const types = (section.dataset["types"] ?? "").split(" ").filter(Boolean);
  if (types.length === 0) return undefined;
  const shapes: readonly FormShape[] = JSON.parse(section.dataset["forms"] ?? "[]");
  const forms = new Map<string, FormInputs>(shapes.flatMap((shape) => shape.types.map((type) => [type, formInputs(shape, type)] as const)));
  const type = element("select", {}, ...types.map((each) => element("option", { value: each }, each)));
  const text = element("textarea", { spellcheck: "false" });
  const file = element("input", { type: "file" });
  text.value = section.querySelector("pre[data-example]")?.textContent ?? "";
  const chosen = element("div");
  const plain = [field("Text", text), field("or a file", file)];
  // Inputs that are not on the page are not checked when the form is sent.
  const show = () => chosen.replaceChildren(...(forms.get(type.value)?.parts ?? plain));
  type.addEventListener("change", show);
  show();
  return {
    set: fieldset("Body", field("Media type", type), chosen),
    read() {
      const form = forms.get(type.value);
      if (form !== undefined) return { mediaType: undefined, body: form.read() };
      const body = file.files?.[0] ?? (text.value === "" ? undefined : text.value);
      return { mediaType: type.value, body };
    },
  };
}
