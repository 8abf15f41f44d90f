/** Makes an element. Texts become text: markup is never parsed. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | boolean>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(attribute, "");
    else if (value !== false) made.setAttribute(attribute, value);
  }
  made.append(...children);
  return made;
}

/** A button that does something on this page. */
export function button(text: string, onClick: () => void, attributes: Readonly<Record<string, string>> = {}): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", onClick);
  return made;
}

let labels = 0;

/** A field with its label. */
export function field(text: string, input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): HTMLElement {
  labels += 1;
  input.id = `field:${labels}`;
  return element("div", { class: "field" }, element("label", { for: input.id }, text), input);
}

/** Fields with their title. */
export function fieldset(title: string, ...content: readonly HTMLElement[]): HTMLFieldSetElement {
  return element("fieldset", {}, element("legend", {}, title), ...content);
}
