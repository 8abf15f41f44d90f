export { type XmlOptions, xml } from "./xml.js";
