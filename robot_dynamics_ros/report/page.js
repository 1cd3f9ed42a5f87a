// Draws each plot when it comes near the view, and all of them before printing.
'use strict';
const figures = JSON.parse(document.getElementById('figures').textContent);
const places = Array.from(document.querySelectorAll('.plot'));
// Of a page of paper without its margins, and between its two columns [px].
const PAPER = { width: 690, wide: 340, narrow: 180, gap: 16 };

function draw(place) {
  if (place.dataset.drawn) return;
  place.dataset.drawn = 'yes';
  const { data, layout } = figures[place.dataset.figure];
  // A finger scrolls the page; the buttons zoom.
  const finger = matchMedia('(pointer: coarse)').matches;
  Plotly.newPlot(place, data, { ...structuredClone(layout), ...(finger && { dragmode: false }) }, {
    displaylogo: false,
    displayModeBar: finger || 'hover',
    responsive: true,
    modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d'],
    toImageButtonOptions: { filename: `figure_${place.dataset.figure}`, scale: 2 },
  });
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

// On paper there are no buttons above a plot.
addEventListener('beforeprint', () => {
  for (const place of places) {
    draw(place);
    const wide = place.parentElement.classList.contains('wide');
    const width = wide ? PAPER.width : (PAPER.width - PAPER.gap) / 2;
    const height = wide ? PAPER.wide : PAPER.narrow;
    place.style.height = `${height}px`;
    const paper = { width, height, autosize: false, 'font.size': 10 };
    Plotly.relayout(place, { ...paper, 'margin.t': 24, 'margin.b': 36 });
  }
});
addEventListener('afterprint', () => {
  for (const place of places) {
    const { height, font, margin } = figures[place.dataset.figure].layout;
    place.style.height = `${height}px`;
    const screen = { width: null, height, autosize: true, 'font.size': font.size };
    Plotly.relayout(place, { ...screen, 'margin.t': margin.t, 'margin.b': margin.b });
  }
});
