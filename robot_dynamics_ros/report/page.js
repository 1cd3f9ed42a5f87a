// Draws each plot when it comes near the view, and all of them before printing.
'use strict';
const figures = JSON.parse(document.getElementById('figures').textContent);
const places = Array.from(document.querySelectorAll('.plot'));
// Of a page of paper without its margins, and between its two columns [px].
const PAPER = { width: 690, wide: 340, narrow: 180, gap: 16 };
// Where a legend does not fit beside its title [px].
const NARROW = 560;
// Of plotly above the title [px].
const BUTTONS = 28;
// Of a legend: the line of an entry, a letter of its name, its edges, a row, and the title [px].
const LINE = 40;
const LETTER = 5.8;
const EDGES = 10;
const ROW = 19;
const TITLE = 18;
// Of long labels beside an axis, which take room from the legend [px].
const LABELS = 60;

function draw(place) {
  if (place.dataset.drawn) return;
  place.dataset.drawn = 'yes';
  const { data, layout } = figures[place.dataset.figure];
  // A finger scrolls the page; the buttons zoom.
  const finger = matchMedia('(pointer: coarse)').matches;
  const adapted = structuredClone(layout);
  if (finger) adapted.dragmode = false;
  for (const [path, value] of Object.entries(arranged(place, place.clientWidth))) {
    const keys = path.replace(/\[(\d+)\]/g, '.$1').split('.');
    const last = keys.pop();
    keys.reduce((part, key) => (part[key] ??= {}), adapted)[last] = value;
  }
  Plotly.newPlot(place, data, adapted, {
    displaylogo: false,
    displayModeBar: finger || 'hover',
    responsive: true,
    modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d'],
    toImageButtonOptions: { filename: `figure_${place.dataset.figure}`, scale: 2 },
  });
}

// What changes with the width: beside a narrow plot's title there is no room for its legend.
function arranged(place, width, buttons = BUTTONS) {
  const { data, layout } = figures[place.dataset.figure];
  const narrow = width < NARROW;
  const left = narrow ? 50 : layout.margin.l;
  const room = width - left - (layout.yaxis.automargin === true ? LABELS : 0);
  const changes = { 'font.size': narrow ? 11 : layout.font.size, 'margin.l': left };
  layout.annotations.forEach((title, index) => {
    const legend = `legend${index ? index + 1 : ''}`;
    const entries = data.filter((trace) => trace.showlegend && trace.legend === legend);
    const rows = narrow ? rowsOf(entries, room) : 0;
    changes[`${legend}.x`] = narrow ? 0 : 1;
    changes[`${legend}.xanchor`] = narrow ? 'left' : 'right';
    changes[`${legend}.font.size`] = narrow ? 10.5 : layout[legend].font.size;
    const above = rows ? EDGES + ROW * rows : 4;
    changes[`annotations[${index}].yshift`] = above;
    if (index === 0) changes['margin.t'] = above + TITLE + buttons;
  });
  return changes;
}

// plotly puts the entries into one row, or into columns of one width.
function rowsOf(entries, room) {
  const widths = entries.map((trace) => LINE + LETTER * trace.name.length);
  const whole = widths.reduce((sum, width) => sum + width, 0);
  if (whole <= room) return Math.min(1, entries.length);
  return Math.ceil(entries.length / Math.max(1, Math.floor(room / Math.max(...widths))));
}

const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      draw(entry.target);
    }
  },
  { rootMargin: '800px' },
);
places.forEach((place) => observer.observe(place));

function rearrange() {
  for (const place of places) {
    if (place.dataset.drawn) Plotly.relayout(place, arranged(place, place.clientWidth));
  }
}
let waiting = 0;
addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = setTimeout(rearrange, 200);
});

addEventListener('beforeprint', () => {
  for (const place of places) {
    draw(place);
    const wide = place.parentElement.classList.contains('wide');
    const width = wide ? PAPER.width : (PAPER.width - PAPER.gap) / 2;
    const height = wide ? PAPER.wide : PAPER.narrow;
    const paper = { width, height, autosize: false, 'font.size': 10, 'margin.b': 36 };
    place.style.height = `${height}px`;
    Plotly.relayout(place, { ...arranged(place, width, 0), ...paper });
  }
});
addEventListener('afterprint', () => {
  for (const place of places) {
    const { layout } = figures[place.dataset.figure];
    place.style.height = `${layout.height}px`;
    Plotly.relayout(place, {
      ...arranged(place, place.clientWidth),
      width: null,
      height: layout.height,
      autosize: true,
      'margin.b': layout.margin.b,
    });
  }
});
