import { button, element, field } from "./element.js";

/** A field of a form, as the server writes it into the page. */
interface FormField {
  readonly name: string;
  readonly kind: "text" | "lines" | "choice" | "file" | "files";
  readonly required?: boolean;
  readonly values?: readonly string[];
}

/** A form that an operation takes. */
export interface FormShape {
  readonly types: readonly string[];
  readonly fields: readonly FormField[];
  readonly isOpen?: true;
}

/** The inputs of a form. */
export interface FormInputs {
  readonly parts: readonly HTMLElement[];
  /** What is sent. Fields that were left empty are not. */
  read(): FormData | URLSearchParams;
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The inputs for the fields of a form, and buttons for further ones if it takes them. */
export function formInputs({ fields, isOpen }: FormShape, type: string): FormInputs {
  const isMultipart = type === "multipart/form-data";
  const known = fields.map((each) => ({ name: () => each.name, kind: each.kind, input: inputOf(each), label: labelOf(each) }));
  const all: { readonly name: () => string; readonly kind: FormField["kind"]; readonly input: Input }[] = [...known];
  const further = element("div");
  const add = (kind: "text" | "file", text: string) =>
    button(text, () => {
      const name = element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
      const input = inputOf({ name: "", kind });
      all.push({ name: () => name.value, kind, input });
      further.append(field("Name", name), field(kind === "file" ? "File" : "Value", input));
      name.focus();
    });
  const buttons = [add("text", "Add a field"), ...(isMultipart ? [add("file", "Add a file")] : [])];
  return {
    parts: [...known.map(({ label, input }) => field(label, input)), ...(isOpen ? [further, element("div", { class: "actions" }, ...buttons)] : [])],
    read() {
      const data = new FormData();
      for (const { name, kind, input } of all) {
        if (name() !== "") for (const value of valuesOf(input, kind)) data.append(name(), value);
      }
      return isMultipart ? data : new URLSearchParams([...data].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
    },
  };
}

const labelOf = ({ name, kind }: FormField) => (kind === "lines" ? `${name} (one value a line)` : name);

function inputOf({ kind, required = false, values = [] }: FormField): Input {
  switch (kind) {
    case "choice":
      return element("select", { required }, ...["", ...values].map((value) => element("option", { value }, value)));
    case "lines":
      return element("textarea", { spellcheck: "false", required });
    case "text":
      return element("input", { type: "text", autocomplete: "off", spellcheck: "false", required });
    default:
      return element("input", { type: "file", required, multiple: kind === "files" });
  }
}

function valuesOf(input: Input, kind: FormField["kind"]): readonly (string | File)[] {
  if (input instanceof HTMLInputElement && input.files !== null) return [...input.files];
  return (kind === "lines" ? input.value.split("\n") : [input.value]).filter((value) => value !== "");
}
