import { button, element, field } from "./element.js";

/** How the service takes credentials: with a scheme of `Authorization`, or in a header. */
interface Scheme {
  readonly name: string;
  readonly scheme?: string;
  readonly header?: string;
}

/** Headers of requests, in the memory of this page alone: they are gone when it is left. */
const held = new Map<string, string>();

/** The headers with the credentials that the reader has entered. */
export const credentialHeaders = (): ReadonlyMap<string, string> => held;

/**
 * A button that opens a dialog for credentials.
 *
 * @param signing names of the schemes that sign requests, which this page cannot do
 */
export function credentialsButton(schemes: readonly Scheme[], signing: string | undefined): HTMLButtonElement {
  const opener = button("Credentials", () => dialog.showModal());
  const fields = schemes.map((scheme) => schemeFields(scheme));
  const form = element(
    "form",
    { method: "dialog" },
    element("h2", { id: "credentials:title" }, "Credentials"),
    element("p", {}, "They are kept in the memory of this page, and sent to this service only."),
    ...fields.map(({ set }) => set),
    ...(signing === undefined ? [] : [element("p", {}, `This page cannot sign requests, which ${signing} needs: use the curl lines.`)]),
    element(
      "div",
      { class: "actions" },
      element("button", { class: "primary" }, "Use"),
      button("Forget", () => {
        for (const { clear } of fields) clear();
        update();
        dialog.close();
      }),
    ),
  );
  const dialog = element("dialog", { "aria-labelledby": "credentials:title" }, form);
  form.addEventListener("submit", update);
  document.body.append(dialog);
  return opener;

  function update(): void {
    held.clear();
    for (const { header } of fields) {
      const [name, value] = header() ?? [];
      if (name !== undefined && value !== undefined) held.set(name, value);
    }
    opener.textContent = held.size > 0 ? "Credentials in use" : "Credentials";
  }
}

interface SchemeFields {
  readonly set: HTMLFieldSetElement;
  /** `undefined` if nothing was entered. */
  header(): readonly [string, string] | undefined;
  clear(): void;
}

function schemeFields({ name, scheme, header }: Scheme): SchemeFields {
  const isBasic = scheme === "basic";
  const inputs = (isBasic ? ["Name", "Password"] : [header ?? "Token"]).map((label) => ({
    label,
    input: element("input", { type: label === "Name" ? "text" : "password", autocomplete: "off", spellcheck: "false" }),
  }));
  const values = () => inputs.map(({ input }) => input.value);
  return {
    set: element("fieldset", {}, element("legend", {}, name), ...inputs.map(({ label, input }) => field(label, input))),
    header() {
      const [first = "", second = ""] = values();
      if (first === "") return undefined;
      if (header !== undefined) return [header, first];
      return ["Authorization", isBasic ? `Basic ${base64(`${first}:${second}`)}` : `${capitalised(scheme ?? "")} ${first}`];
    },
    clear() {
      for (const { input } of inputs) input.value = "";
    },
  };
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** @see RFC 7617 §2.1 */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
